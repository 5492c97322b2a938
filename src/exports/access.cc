#include "access.h"

#include <optional>

namespace sluice::exports {

Access::Decision Access::of_request(const protocol::Inbound& inbound, const catalog::Operation& operation,
                                    catalog::Gate* gate) {
  if (inbound.principal.id.empty())
    return Refusal{.error = unauthenticated("no credentials").with_code("unauthenticated")};
  return decide({.principal = inbound.principal, .identity = inbound.identity.get()}, operation, gate);
}

Access::Decision Access::of_link(const Principal& owner, const catalog::Operation& operation,
                                 catalog::Gate* gate) {
  return decide({.principal = owner}, operation, gate);
}

Access::Decision Access::decide(const catalog::Caller& caller, const catalog::Operation& operation,
                                catalog::Gate* gate) {
  if (gate != nullptr && gate->limits_operations()) {
    if (std::optional<Refusal> refusal = gate->allow(caller, {operation})) return *std::move(refusal);
  }
  return Access(caller.principal);
}

}  // namespace sluice::exports
