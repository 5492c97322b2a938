#include <exception>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/protocol/wire/legacy.h"
#include "sluice/protocol/wire/modern.h"

#include "dispatch/front.h"
#include "methods/methods.h"
#include "session/legacy_session.h"

namespace sluice::server {
namespace {

void answer_error(const Call& call, const Error& error) {
  const protocol::WireError wire = to_wire(error, call.revision);
  call.responder->finish(
      protocol::Final{.status = wire.http_status, .message = protocol::error_message(call.id, wire)});
}

void complete(Core& core, Call& call, Result<std::string> result) {
  if (call.taken_over || call.settled.exchange(true)) return;
  if (result && result->size() > kReplyBytesMax) {
    result = internal_error("the answer is larger than a message can be").with_code("answer_too_large");
  }
  call.on_gone.reset();
  core.clear_deadline(call);
  const CancelReason reason = call.cancelled;
  core.in_flight.release_id(call.scope,
                            call.id);  // A client may use the id again as soon as it has the answer.
  if (reason == CancelReason::kCaller) {
    // Nothing more may be said about a request that was cancelled, even if it has just been finished.
    call.responder->abandon();
  } else if (result) {
    call.responder->finish(protocol::Final{.message = protocol::result_message(call.id, *std::move(result))});
  } else if (reason == CancelReason::kDeadline) {
    answer_error(call, deadline_exceeded());
  } else if (reason == CancelReason::kShutdown) {
    answer_error(call, unavailable("the server is stopping").with_code("stopping"));
  } else {
    if (result.error().kind == ErrorKind::kInternal)
      log::error("request.failed", {{"method", call.method}, {"reason", result.error().message}});
    answer_error(call, result.error());
  }
  core.in_flight.finished(call);
}

void run(Core& core, const Method& method, const std::shared_ptr<Call>& call) {
  Result<std::string> result = internal_error("the handler did not return");
  try {
    result = call->stop.stop_requested() ? Result<std::string>(cancelled()) : method.handler(core, call);
  } catch (const std::exception& failure) {
    log::error("request.threw", {{"method", call->method}, {"what", failure.what()}});
    result = internal_error("the handler failed");
  } catch (...) {
    log::error("request.threw", {{"method", call->method}, {"what", "not a std::exception"}});
    result = internal_error("the handler failed");
  }
  complete(core, *call, std::move(result));
}

// Nullopt: it threw.
std::optional<RunsOn> resolve(const Core& core, Call& call) {
  const Method& method = *call.handled_by;
  if (method.resolve == nullptr) return method.runs_on;
  try {
    return method.resolve(core, call);
  } catch (const std::exception& failure) {
    log::error("request.threw", {{"method", call.method}, {"what", failure.what()}});
  } catch (...) {
    log::error("request.threw", {{"method", call.method}, {"what", "not a std::exception"}});
  }
  return std::nullopt;
}

}  // namespace

// The handler ignores its stop token. Its caller gets an answer and others get another worker; what it still
// returns is dropped.
void give_up_stuck(Core& core, Call& call) {
  if (call.settled.exchange(true)) return;
  log::error("request.stuck", {{"method", call.method}});
  core.workers.replace_stuck(&call);
  core.in_flight.release_id(call.scope, call.id);
  if (call.cancelled == CancelReason::kCaller) {
    call.responder->abandon();
  } else {
    answer_error(call, deadline_exceeded());
  }
  core.in_flight.finished(call);
}

protocol::WireError to_wire(const Error& error, protocol::Revision revision) {
  return protocol::is_modern(revision) ? protocol::modern::to_wire(error) : protocol::legacy::to_wire(error);
}

void refuse(const std::shared_ptr<protocol::Exchange>& exchange, const std::optional<protocol::RequestId>& id,
            const protocol::WireError& error) {
  exchange->finish(
      protocol::Final{.status = error.http_status, .message = protocol::error_message(id, error)});
}

void refuse_stopping(const std::shared_ptr<protocol::Exchange>& exchange,
                     const std::optional<protocol::RequestId>& id) {
  refuse(exchange, id,
         protocol::WireError{
             .code = protocol::kInternalError, .message = "the server is stopping", .http_status = 503});
}

void dispatch(Core& core, std::shared_ptr<Call> call) {
  const Method* method = call->handled_by;
  const std::optional<RunsOn> runs_on = resolve(core, *call);
  if (!runs_on) return answer_error(*call, internal_error("the handler failed"));
  const bool at_once = runs_on == RunsOn::kReceivingThread;
  const Status begun = core.in_flight.begin(call->scope, call->id, call);
  if (!begun) return answer_error(*call, begun.error());
  // A legacy client that loses its connection has not cancelled: it may come back for the answer. On a pipe
  // the whole scope is cancelled when the pipe closes.
  if (call->modern() && !at_once) {
    Call* raw = call.get();  // The callback is a member of the call.
    raw->on_gone.emplace(call->exchange->gone(), [raw] { raw->cancel(CancelReason::kCaller); });
  }
  if (at_once) return run(core, *method, call);
  core.set_deadline(call, core.clock.now() + core.options.request_timeout);
  if (runs_on == RunsOn::kPipeThread && call->exchange->lends_thread()) return run(core, *method, call);
  if (!core.workers.submit(
          call->share, [&core, method, call] { run(core, *method, call); }, call.get())) {
    complete(
        core, *call,
        limit_reached("requests waiting", kRequestsInFlightMax)
            .with_code("too_busy")
            .with_hint(
                "One caller may use a part of them. Wait for answers to earlier requests, then try again."));
  }
}

void receive_message(Core& core, const std::shared_ptr<protocol::Exchange>& exchange, json::Value message) {
  std::variant<protocol::Message, protocol::EnvelopeProblem> parsed =
      protocol::parse_message(std::move(message));
  if (const auto* problem = std::get_if<protocol::EnvelopeProblem>(&parsed)) {
    return refuse(
        exchange, problem->id,
        protocol::WireError{
            .code = protocol::kInvalidRequest, .message = problem->error.message, .http_status = 400});
  }
  auto& understood = std::get<protocol::Message>(parsed);
  // Cancellations and answers to our questions are taken to the end: requests under way may wait for them.
  const auto* request = std::get_if<protocol::Request>(&understood);
  if (request != nullptr && core.stopping) return refuse_stopping(exchange, request->id);
  if (is_modern_message(*exchange, understood)) {
    receive_modern(core, exchange, std::move(understood));
  } else {
    receive_legacy(core, exchange, std::move(understood));
  }
}

}  // namespace sluice::server
