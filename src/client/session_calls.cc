#include <utility>

#include "sluice/protocol/wire/decode.h"
#include "sluice/protocol/wire/requests.h"

#include "either_stop.h"
#include "failure.h"
#include "mirrored_headers.h"
#include "session.h"

namespace sluice::client {

Outgoing Session::outgoing_of(const Connection& at, const std::string& method, const json::Object& params,
                              const CallOptions& options) {
  Outgoing outgoing;
  outgoing.id = next_id_++;
  outgoing.method = method;
  const protocol::RequestId id{outgoing.id};
  outgoing.text = protocol::client_request({.id = id,
                                            .method = method,
                                            .params = params,
                                            .meta = options.meta,
                                            .wants_progress = static_cast<bool>(options.on_progress)},
                                           at.agreed.style);
  if (!at.mirrors()) return outgoing;
  const std::vector<protocol::HeaderParameter>* parameters = nullptr;
  const json::Value* name = method == "tools/call" ? params.find("name") : nullptr;
  const MutexLock lock(headers_mutex_);
  if (name != nullptr && name->if_string() != nullptr) {
    const auto known = tool_headers_.find(*name->if_string());
    if (known != tool_headers_.end()) parameters = &known->second;
  }
  outgoing.headers = mirrored_headers(at.agreed.info.revision, method, params, parameters);
  return outgoing;
}

Result<Reply> Session::exchange(const Connection& at, const std::string& method, const json::Object& params,
                                const Call& call) {
  Outgoing outgoing = outgoing_of(at, method, params, call.options);
  outgoing.deadline = call.deadline;
  outgoing.asks = call.asks;
  outgoing.on_notification = [&](const protocol::Notification& notification) {
    take_notification(notification, &call.options);
  };
  // On HTTP in the modern era, leaving is telling.
  const bool must_tell = !at.mirrors();
  const auto send = [&](std::stop_token stop) {
    outgoing.stop = std::move(stop);
    Result<Reply> reply = at.link->request(outgoing);
    const bool gave_up =
        !reply && (reply.error().kind == ErrorKind::kCancelled || reply.error().kind == ErrorKind::kDeadline);
    if (gave_up && must_tell) tell_cancelled(at, outgoing.id);
    return reply;
  };
  if (!call.asks) return send(call.options.stop);
  const EitherStop either(call.options.stop, call.asks->failed());
  Result<Reply> reply = send(either.token());
  // Whatever the server made of it.
  if (const std::optional<Error> unanswered = call.asks->failure()) return *unanswered;
  return reply;
}

void Session::tell_cancelled(const Connection& at, std::int64_t id) {
  if (at.link->gone().stop_requested() || closing_.stop_requested()) return;
  std::string text = protocol::cancelled_notification(protocol::RequestId{id}, "no longer wanted", "");
  if (!at.link->is_http()) {
    [[maybe_unused]] const Status sent = at.link->send(std::move(text), {}, {});
    return;
  }
  jobs_.start([link = at.link, text = std::move(text)] {
    [[maybe_unused]] const Status sent = link->send(text, {}, {});
  });
}

Result<Session::Answered> Session::request(const std::string& method, const json::Object& params,
                                           const Call& call) {
  bool tried_again = false;
  while (true) {
    SLUICE_TRY(const std::shared_ptr<const Connection> at, connection(call.deadline, call.options.stop));
    SLUICE_TRY(Reply reply, exchange(*at, method, params, call));
    if (reply.kind == Reply::Kind::kResult)
      return Answered{.result = std::move(reply.result), .revision = at->agreed.info.revision};
    const bool was_not_tried = !std::exchange(tried_again, true);
    if (was_not_tried && reply.kind == Reply::Kind::kSessionGone) continue;
    // The server behind the URL is another one than it was.
    const bool speaks_otherwise =
        reply.kind == Reply::Kind::kError && at->mirrors() && reply.code == protocol::kUnsupportedVersionCode;
    if (was_not_tried && speaks_otherwise) {
      drop(at);
      continue;
    }
    const bool wants_headers = reply.kind == Reply::Kind::kError && at->mirrors() &&
                               reply.code == protocol::kHeaderMismatchCode && method == "tools/call";
    if (!was_not_tried || !wants_headers || !refresh_tools_) return failure_of(method, reply);
    SLUICE_CHECK(refresh_tools_(call));
  }
}

Result<Reply> Session::listen(const Connection& at, const json::Object& params, std::stop_token stop,
                              std::function<void(const protocol::Notification&)> on_notification) {
  const CallOptions options;
  Outgoing outgoing = outgoing_of(at, "subscriptions/listen", params, options);
  outgoing.deadline = now() + kFetchTimeoutMax;
  outgoing.stop = std::move(stop);
  outgoing.lasting = true;
  outgoing.on_notification = std::move(on_notification);
  Result<Reply> reply = at.link->request(outgoing);
  if (!reply && reply.error().kind == ErrorKind::kCancelled && !at.mirrors()) tell_cancelled(at, outgoing.id);
  return reply;
}

}  // namespace sluice::client
