#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/protocol/wire/legacy.h"
#include "sluice/protocol/wire/params.h"

#include "dispatch/front.h"
#include "methods/methods.h"
#include "session/legacy_session.h"

namespace sluice::server {
namespace {

namespace legacy = protocol::legacy;

protocol::WireError bad_request(std::string message, int status) {
  return protocol::WireError{
      .code = protocol::kInvalidRequest, .message = std::move(message), .http_status = status};
}

// Why this message has no session: the client never opened one, or it has ended.
protocol::WireError no_session(const protocol::Exchange& exchange) {
  const std::optional<protocol::HttpHead>& http = exchange.inbound().http;
  if (http && http->session_id) return bad_request("Session not found: open a new one with initialize", 404);
  if (http)
    return bad_request(
        "Mcp-Session-Id is missing: open a session with initialize, or send _meta with a protocol version",
        400);
  return bad_request(
      "Not initialized: send initialize first, or _meta with a protocol version in every request", 400);
}

void open_session(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                  const protocol::Request& request) {
  Result<legacy::InitializeParams> params = legacy::decode_initialize(request.params);
  if (!params) return refuse(exchange, request.id, legacy::to_wire(params.error()));
  const protocol::Inbound& inbound = exchange->inbound();
  if (inbound.connection && core.sessions.find(inbound.connection.get()) != nullptr) {
    return refuse(exchange, request.id, bad_request("Already initialized", 400));
  }
  const protocol::ResultStyle style{.revision = params->revision, .server = core.options.info};
  log::info("session.opened", {{"revision", protocol::to_string(params->revision)},
                               {"client", params->client_name},
                               {"principal", inbound.principal.id}});
  const SessionTable::Opened opened =
      core.sessions.open(*std::move(params), inbound.principal, inbound.connection, share_owner(inbound));
  for (const auto& evicted : opened.evicted) core.end_session(evicted);
  protocol::Final final{
      .message = protocol::result_message(
          request.id, protocol::initialize_result(core.capabilities(), core.instructions(), style))};
  if (inbound.http) final.headers.emplace_back("Mcp-Session-Id", opened.session->id().text());
  exchange->finish(std::move(final));
}

std::optional<protocol::WireError> check_version_header(const protocol::Exchange& exchange) {
  const std::optional<protocol::HttpHead>& http = exchange.inbound().http;
  if (!http || !http->protocol_version) return std::nullopt;
  const std::optional<protocol::Revision> known = protocol::parse_revision(*http->protocol_version);
  if (known && !protocol::is_modern(*known)) return std::nullopt;
  return bad_request("MCP-Protocol-Version is not one of this session's era", 400);
}

void receive_session_request(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                             const std::shared_ptr<LegacySession>& session, protocol::Request request) {
  const Method* method = find_method(request.method, session->revision(), core);
  if (method == nullptr) {
    return refuse(exchange, request.id, legacy::method_not_found(request.method));
  }
  auto call = std::make_shared<Call>();
  call->revision = session->revision();
  call->id = std::move(request.id);
  call->handled_by = method;
  call->method = std::move(request.method);
  call->params = std::move(request.params);
  call->principal = session->principal();
  call->client = session->client();
  call->log_level = session->log_level();
  call->exchange = exchange;
  call->session = session;
  call->responder = exchange->inbound().http
                        ? std::static_pointer_cast<Responder>(session->open_stream(exchange))
                        : make_exchange_responder(exchange);
  call->scope = scope_of(*session);
  call->share = share_key(exchange->inbound(), call->scope, true);
  dispatch(core, std::move(call));
}

void receive_notification(Core& core, const std::shared_ptr<LegacySession>& session,
                          const protocol::Notification& notification) {
  if (notification.method == "notifications/initialized") {
    session->set_ready();
  } else if (notification.method == "notifications/cancelled") {
    const Result<protocol::RequestId> id = protocol::decode_cancelled_id(notification.params);
    if (!id) return;
    if (const std::shared_ptr<Call> call = core.in_flight.find(scope_of(*session), *id))
      call->cancel(CancelReason::kCaller);
  }
}

}  // namespace

std::shared_ptr<LegacySession> find_session(Core& core, const protocol::Exchange& exchange) {
  const protocol::Inbound& inbound = exchange.inbound();
  if (inbound.connection) return core.sessions.find(inbound.connection.get());
  if (!inbound.http || !inbound.http->session_id) return nullptr;
  return core.sessions.find(SessionId(*inbound.http->session_id), inbound.principal);
}

void receive_legacy(Core& core, const std::shared_ptr<protocol::Exchange>& exchange,
                    protocol::Message message) {
  auto* request = std::get_if<protocol::Request>(&message);
  if (request != nullptr && request->method == "initialize") return open_session(core, exchange, *request);
  if (const auto* notification = std::get_if<protocol::Notification>(&message)) {
    if (cancel_on_pipe(core, *exchange, *notification))
      return exchange->finish(protocol::Final{.status = 202});
  }
  const std::shared_ptr<LegacySession> session = find_session(core, *exchange);
  if (session == nullptr) {
    // A pipe may be asked for a ping before the handshake; a notification gets no answer.
    if (request != nullptr && request->method == "ping" && exchange->inbound().connection) {
      return exchange->finish(protocol::Final{.message = protocol::result_message(request->id, "{}")});
    }
    if (request == nullptr && exchange->inbound().connection)
      return exchange->finish(protocol::Final{.status = 202});
    const protocol::WireError error =
        request != nullptr && find_method(request->method, protocol::kNewestLegacy, core) == nullptr &&
                !exchange->inbound().http
            ? legacy::method_not_found(request->method)
            : no_session(*exchange);
    return refuse(exchange, request != nullptr ? std::optional(request->id) : std::nullopt, error);
  }
  if (const auto error = check_version_header(*exchange)) {
    return refuse(exchange, request != nullptr ? std::optional(request->id) : std::nullopt, *error);
  }
  if (request != nullptr) return receive_session_request(core, exchange, session, std::move(*request));
  if (const auto* notification = std::get_if<protocol::Notification>(&message)) {
    receive_notification(core, session, *notification);
  } else {
    session->answer(std::get<protocol::Response>(std::move(message)));
  }
  exchange->finish(protocol::Final{.status = 202});
}

void open_legacy_stream(Core& core, const std::shared_ptr<protocol::Exchange>& exchange) {
  const protocol::HttpHead& head = *exchange->inbound().http;
  if (!head.session_id) {
    // The modern era has no stream to open this way.
    protocol::Final final{.status = 405,
                          .message = protocol::error_message(
                              std::nullopt, bad_request("GET needs a session: POST initialize first", 405))};
    final.headers.emplace_back("Allow", "POST");
    return exchange->finish(std::move(final));
  }
  const std::shared_ptr<LegacySession> session = find_session(core, *exchange);
  if (session == nullptr) return refuse(exchange, std::nullopt, no_session(*exchange));
  if (const auto error = check_version_header(*exchange)) return refuse(exchange, std::nullopt, *error);
  session->resume(exchange, head.last_event_id);
}

void end_legacy_session(Core& core, const std::shared_ptr<protocol::Exchange>& exchange) {
  const protocol::HttpHead& head = *exchange->inbound().http;
  if (!head.session_id) {
    protocol::Final final{.status = 405,
                          .message = protocol::error_message(
                              std::nullopt, bad_request("DELETE ends a session, and there is none", 405))};
    final.headers.emplace_back("Allow", "POST");
    return exchange->finish(std::move(final));
  }
  const std::shared_ptr<LegacySession> session = find_session(core, *exchange);
  if (session == nullptr) return refuse(exchange, std::nullopt, no_session(*exchange));
  core.sessions.remove(session->id());
  core.end_session(session);
  exchange->finish(protocol::Final{.status = 204});
}

}  // namespace sluice::server
