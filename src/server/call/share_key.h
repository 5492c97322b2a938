#pragma once

#include <string>

#include "sluice/protocol/exchange.h"

namespace sluice::server {

// Who a request counts against. Limits and turns are shared out by owner, and the turns of one owner by
// channel.
struct ShareKey {
  std::string owner;    // The principal; the peer's address if nobody had to authenticate.
  std::string channel;  // A legacy session, a pipe or an HTTP connection.
};

// `scope` is that of the request in the in-flight table; `is_session` tells whether it names a session.
ShareKey share_key(const protocol::Inbound& inbound, const std::string& scope, bool is_session);

std::string share_owner(const protocol::Inbound& inbound);

}  // namespace sluice::server
