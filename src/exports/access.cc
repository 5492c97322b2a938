#include "access.h"

namespace sluice::exports {

std::optional<Caller> Caller::of_request(const protocol::Inbound& inbound) {
  if (inbound.principal.id.empty()) return std::nullopt;
  return Caller(inbound.principal);
}

}  // namespace sluice::exports
