#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "sluice/base/principal.h"
#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_server.h"

#include "http/host_check.h"
#include "http/http_head.h"

namespace sluice::transport {

// What a head asks for, once it may ask for anything.
enum class Route : std::uint8_t { kExchange, kHealth, kPreflight };

// Framing, Host, Origin, path and method, in this order: nothing is said about the server to a page that has
// no business with it. `cors` becomes the header lines for a page of an allowed origin.
std::variant<Route, protocol::Final> route_request(const RequestHead& head, const HostRules& rules,
                                                   const std::string& path, std::string& cors);

// Who is calling, or the answer that refuses them.
std::variant<Principal, protocol::Final> admit_caller(const RequestHead& head,
                                                      const HttpServerOptions& options);

// The answer to a request whose body we cannot read or whose answer its sender cannot read; else nothing.
std::optional<protocol::Final> check_content(const RequestHead& head);

}  // namespace sluice::transport
