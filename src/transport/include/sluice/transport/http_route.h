#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/protocol/exchange.h"

namespace sluice::transport {

// Requests to a path beside that of MCP. They pass the same checks: framing, Host, Origin, who is calling,
// limits. What the transport refuses itself is a problem document (RFC 9457).
struct HttpRoute {
  std::string path;  // "/api/v1/query"; one that ends in '/' stands for everything beneath it.
  // In capitals. "GET" stands for HEAD, too, whose response is that of GET without its body. A POST brings
  // JSON. OPTIONS is answered by the transport.
  std::vector<std::string> methods;
  // Called on a thread that may block. `Inbound::http` has target and fields.
  protocol::Receiver receiver;
  // Whether a request without credentials is served; its principal has an empty id. Called on an I/O thread.
  // Null: none is.
  std::function<bool(const protocol::HttpHead&)> is_open;
  // Credentials of the scheme Basic are taken as if their password were a bearer token. No challenge names
  // that scheme, so that no browser asks for it.
  bool takes_basic = false;
  // Refuses what a page of another site makes a browser send (Sec-Fetch-Site: cross-site), unless its origin
  // is allowed.
  bool refuses_cross_site = false;
};

}  // namespace sluice::transport
