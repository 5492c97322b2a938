#include "access.h"

namespace sluice::exports {

std::optional<Access> Access::of_request(const protocol::Inbound& inbound) {
  if (inbound.principal.id.empty()) return std::nullopt;
  return Access(inbound.principal);
}

}  // namespace sluice::exports
