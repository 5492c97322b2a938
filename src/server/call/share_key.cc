#include "call/share_key.h"

namespace sluice::server {

// Everybody is the local principal on a server without tokens, so that the address tells more.
std::string share_owner(const protocol::Inbound& inbound) {
  if (inbound.peer.empty() || inbound.principal != local_principal()) return inbound.principal.id;
  return inbound.principal.id + '@' + inbound.peer;
}

ShareKey share_key(const protocol::Inbound& inbound, const std::string& scope, bool is_session) {
  const bool is_lasting = is_session || inbound.connection != nullptr;
  return {.owner = share_owner(inbound), .channel = is_lasting ? scope : std::to_string(inbound.channel)};
}

}  // namespace sluice::server
