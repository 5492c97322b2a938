#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "sluice/base/admission.h"
#include "sluice/protocol/exchange.h"
#include "sluice/transport/http_server.h"

#include "http/host_check.h"
#include "http/http_head.h"
#include "http/response_head.h"

namespace sluice::transport {

// What a head asks for, once it may ask for anything.
enum class Route : std::uint8_t { kExchange, kAlive, kReady, kPreflight };

// Framing, Host, Origin, path and method, in this order: nothing is said about the server to a page that has
// no business with it. `cors` becomes the header lines for a page of an allowed origin.
std::variant<Route, protocol::Final> route_request(const RequestHead& head, const HostRules& rules,
                                                   const std::string& path, std::string& cors);

// How requests to the route, or to the path of MCP if there is none, are refused.
RefusalForm form_of(const RequestHead& head);

// The response to a request for a document that anybody may read; nullopt if this is none.
std::optional<protocol::Final> answer_public(const RequestHead& head, const HttpServerOptions& options);

// The response that turns a caller away.
protocol::Final answer_refused(const Refusal& refusal, RefusalForm form);

// The answer to a request whose body we cannot read or whose answer its sender cannot read; else nothing.
std::optional<protocol::Final> check_content(const RequestHead& head);

// The answer to a preflight of a page, or to OPTIONS of anybody.
protocol::Final answer_preflight(const RequestHead& head);

}  // namespace sluice::transport
