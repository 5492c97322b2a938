#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/crypto/random.h"
#include "sluice/json/object_reader.h"
#include "sluice/protocol/wire/header_value.h"
#include "sluice/protocol/wire/modern.h"
#include "sluice/protocol/wire/params.h"

#include "dispatch/front.h"
#include "methods/methods.h"

namespace sluice::server {
namespace {

namespace modern = protocol::modern;

const json::Object& params_of(const protocol::Message& message) {
  static const json::Object kNone;
  if (const auto* request = std::get_if<protocol::Request>(&message)) return request->params;
  if (const auto* notification = std::get_if<protocol::Notification>(&message)) return notification->params;
  return kNone;
}

// The version that a request names, checked against its header and against what we speak.
std::optional<protocol::WireError> check_version(const protocol::Exchange& exchange,
                                                 const json::Object& params, protocol::Revision& revision) {
  const std::optional<protocol::HttpHead>& http = exchange.inbound().http;
  const std::string version = modern::requested_version(params);
  if (version.empty()) {
    return modern::malformed(
        invalid_input("params._meta: io.modelcontextprotocol/protocolVersion is required")
            .with_code("missing_metadata")
            .with_hint("Send it with every request, or open a session with initialize."));
  }
  if (http && !http->protocol_version) return modern::header_mismatch("MCP-Protocol-Version is missing");
  if (http && *http->protocol_version != version) {
    return modern::header_mismatch(fmt::format("MCP-Protocol-Version is {}, the body says {}",
                                               excerpt(*http->protocol_version), excerpt(version)));
  }
  const std::optional<protocol::Revision> known = protocol::parse_revision(version);
  // A legacy version cannot be spoken without its handshake.
  if (!known || !protocol::is_modern(*known)) return modern::unsupported_version(version);
  revision = *known;
  return std::nullopt;
}

// The headers that mirror the body. Nothing to check on a pipe.
std::optional<protocol::WireError> check_headers(const protocol::Exchange& exchange,
                                                 const protocol::Request& request, std::string_view target) {
  const std::optional<protocol::HttpHead>& http = exchange.inbound().http;
  if (!http) return std::nullopt;
  if (!http->mcp_method) return modern::header_mismatch("Mcp-Method is missing");
  if (*http->mcp_method != request.method) {
    return modern::header_mismatch(fmt::format("Mcp-Method is {}, the body says {}",
                                               excerpt(*http->mcp_method), excerpt(request.method)));
  }
  const json::Value* named = target.empty() ? nullptr : request.params.find(target);
  const std::string* name = named == nullptr ? nullptr : named->if_string();
  if (name == nullptr) return std::nullopt;  // Missing or of a wrong type: the method says so.
  if (!http->mcp_name) return modern::header_mismatch("Mcp-Name is missing");
  const std::optional<std::string> decoded = protocol::decode_header_value(*http->mcp_name);
  if (!decoded) return modern::header_mismatch("Mcp-Name has invalid characters or invalid base64");
  if (*decoded != *name) {
    return modern::header_mismatch(
        fmt::format("Mcp-Name is {}, the body says {}", excerpt(*decoded), excerpt(*name)));
  }
  return std::nullopt;
}

// The headers that mirror arguments of a tool. Looks the tool up for the whole call.
std::optional<protocol::WireError> check_parameters(const Core& core, Call& call) {
  const std::optional<protocol::HttpHead>& http = call.exchange->inbound().http;
  if (!http || call.method != "tools/call") return std::nullopt;
  resolve_tool(core, call);
  if (!call.tool->entry) return std::nullopt;  // The method says what is wrong.
  const std::string problem = protocol::check_header_parameters(
      (*call.tool->entry)->headers, *call.tool->params->arguments->if_object(), http->mcp_params);
  if (problem.empty()) return std::nullopt;
  return modern::header_mismatch(problem);
}

void receive_stateless_request(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                               protocol::Request request) {
  protocol::Revision revision = protocol::kNewest;
  if (const auto error = check_version(*exchange, request.params, revision))
    return refuse(exchange, request.id, *error);
  Result<modern::RequestMeta> meta = modern::decode_meta(request.params, revision);
  if (!meta) return refuse(exchange, request.id, modern::malformed(meta.error()));
  const Method* method = find_method(request.method, revision, core);
  if (const auto error = check_headers(*exchange, request, method == nullptr ? "" : method->target))
    return refuse(exchange, request.id, *error);
  if (method == nullptr) return refuse(exchange, request.id, modern::method_not_found(request.method));

  const protocol::Inbound& inbound = exchange->inbound();
  auto call = std::make_shared<Call>();
  call->revision = revision;
  call->id = std::move(request.id);
  call->handled_by = method;
  call->method = std::move(request.method);
  call->params = std::move(request.params);
  call->principal = inbound.principal;
  call->client = std::move(meta->client);
  call->log_level = meta->log_level;
  call->exchange = exchange;
  if (const auto error = check_parameters(core, *call)) return refuse(exchange, call->id, *error);
  call->responder = make_exchange_responder(exchange);
  // On HTTP every request stands alone: two clients may use the same id at the same time.
  call->scope = inbound.connection
                    ? scope_of(*inbound.connection)
                    : "http/" + std::to_string(reinterpret_cast<std::uintptr_t>(exchange.get()));
  call->share = share_key(inbound, call->scope, false);
  dispatch(core, std::move(call));
}

}  // namespace

bool cancel_on_pipe(Core& core, const protocol::Exchange& exchange,
                    const protocol::Notification& notification) {
  const std::shared_ptr<protocol::Connection>& connection = exchange.inbound().connection;
  if (notification.method != "notifications/cancelled" || connection == nullptr) return false;
  const Result<protocol::RequestId> id = protocol::decode_cancelled_id(notification.params);
  if (!id) return false;
  const std::shared_ptr<Call> call = core.in_flight.find(scope_of(*connection), *id);
  if (call == nullptr) return false;
  call->cancel(CancelReason::kCaller);
  return true;
}

bool is_modern_message(const protocol::Exchange& exchange, const protocol::Message& message) {
  if (modern::opens_modern(params_of(message))) return true;
  const std::optional<protocol::HttpHead>& http = exchange.inbound().http;
  if (!http || !http->protocol_version || http->session_id) return false;
  const std::optional<protocol::Revision> known = protocol::parse_revision(*http->protocol_version);
  return !known || protocol::is_modern(*known);
}

void receive_modern(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                    protocol::Message message) {
  if (auto* request = std::get_if<protocol::Request>(&message))
    return receive_stateless_request(core, exchange, std::move(*request));
  if (const auto* notification = std::get_if<protocol::Notification>(&message)) {
    cancel_on_pipe(core, *exchange, *notification);
    return exchange->finish(protocol::Final{.status = 202});
  }
  refuse(exchange, std::nullopt,
         protocol::WireError{.code = protocol::kInvalidRequest,
                             .message = "clients send no responses in this revision",
                             .http_status = 400});
}

}  // namespace sluice::server
