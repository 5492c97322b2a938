#include "pipe_calls.h"

#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/json/reader.h"
#include "sluice/protocol/wire/decode.h"
#include "sluice/protocol/wire/requests.h"

#include "answered_id.h"
#include "failure.h"

namespace sluice::client {

Reply reply_of(protocol::Response response) {
  Reply reply;
  if (response.result) {
    if (json::Object* result = response.result->if_object()) reply.result = std::move(*result);
    return reply;
  }
  reply.kind = Reply::Kind::kError;
  reply.code = response.error_code;
  reply.message = std::move(response.error_message);
  reply.data = std::move(response.error_data);
  return reply;
}

Result<Reply> PipeCalls::request(const Outgoing& outgoing, const Write& write) {
  const auto call = std::make_shared<PendingCall>(outgoing.asks);
  {
    const MutexLock lock(mutex_);
    if (failure_) return *failure_;
    if (pending_.size() >= kClientPendingMax)
      return limit_reached("calls under way over one pipe", kClientPendingMax).with_code("client_busy");
    pending_.emplace(outgoing.id, call);
  }
  // A pipe that is gone is noticed by its reader, which knows why.
  Result<Reply> reply =
      write(outgoing.text)
          ? wait(*call, outgoing)
          : Result<Reply>(unavailable("send a request: the pipe is gone").with_code("server_died"));
  const MutexLock lock(mutex_);
  pending_.erase(outgoing.id);
  return reply;
}

Result<Reply> PipeCalls::wait(PendingCall& call, const Outgoing& outgoing) {
  MutexLock lock(call.mutex);
  const auto is_awake = [&]() SLUICE_REQUIRES(call.mutex) {
    return call.reply || call.failure || !call.mail.empty();
  };
  while (true) {
    const auto left = outgoing.deadline - parts_.clock.now();
    const bool awake = call.changed.wait_for(call.mutex, outgoing.stop, left, is_awake);
    while (!call.mail.empty()) {  // What came before the answer is told before it.
      const protocol::Notification notification = std::move(call.mail.front());
      call.mail.pop_front();
      lock.unlock();
      if (outgoing.on_notification) outgoing.on_notification(notification);
      lock.lock();
    }
    if (call.reply) return *std::move(call.reply);
    if (outgoing.stop.stop_requested()) return cancelled();
    if (call.failure) return *call.failure;
    if (!awake && parts_.clock.now() >= outgoing.deadline) return deadline_exceeded();
  }
}

Status PipeCalls::take(std::string_view line) {
  const json::ReadLimits limits{.bytes_max = parts_.message_bytes_max, .values_max = kClientMessageValuesMax};
  Result<json::Value> value = json::read(line, limits);
  if (!value) return take_unreadable(line, value.error());
  json::Array* batch = value->if_array();
  if (batch == nullptr) return take_value(*std::move(value), line);
  for (json::Value& item : *batch) {  // Revision 2025-03-26 had them.
    const std::string text = json::to_text(item);
    SLUICE_CHECK(take_value(std::move(item), text));
  }
  return {};
}

Status PipeCalls::take_value(json::Value value, std::string_view line) {
  auto parsed = protocol::parse_message(std::move(value));
  if (const auto* problem = std::get_if<protocol::EnvelopeProblem>(&parsed))
    return take_unreadable(line, problem->error);
  auto& message = std::get<protocol::Message>(parsed);
  if (auto* response = std::get_if<protocol::Response>(&message)) {
    take_response(std::move(*response));
  } else if (auto* notification = std::get_if<protocol::Notification>(&message)) {
    take_notification(std::move(*notification));
  } else {
    parts_.incoming.asked(std::move(std::get<protocol::Request>(message)), only_asks());
  }
  return {};
}

// A reply that cannot be read fails its call now; nothing else will come for it.
Status PipeCalls::take_unreadable(std::string_view line, const Error& error) {
  const std::optional<std::int64_t> id = answered_id(line);
  const std::shared_ptr<PendingCall> call = id ? find(protocol::RequestId{*id}) : nullptr;
  if (!call) return take_garbage(error);
  {
    const MutexLock lock(call->mutex);
    call->failure = unreadable_reply(error);
  }
  call->changed.notify_all();
  return {};
}

// Some servers greet on their standard output, so a few such lines are let pass.
Status PipeCalls::take_garbage(const Error& error) {
  log::warning("client.not_a_message", {{"reason", error.message}});
  const MutexLock lock(mutex_);
  if (++garbage_ <= kClientGarbageLinesMax) return {};
  return unavailable("read the server's messages: too much of what it sends is no message")
      .with_code("server_sends_garbage")
      .with_hint("the server must write nothing but MCP messages to its standard output");
}

// An answer that nobody waits for is late, or a second one, or made up: nothing to do for it.
void PipeCalls::take_response(protocol::Response response) {
  const std::shared_ptr<PendingCall> call = find(response.id);
  if (!call) return;
  const bool is_result = response.result.has_value();
  if (is_result && !response.result->is_object()) {
    const MutexLock lock(call->mutex);
    call->failure = unavailable("read an answer: its result is no object").with_code("result_invalid");
  } else {
    const MutexLock lock(call->mutex);
    if (!call->reply) call->reply = reply_of(std::move(response));
  }
  call->changed.notify_all();
}

void PipeCalls::take_notification(protocol::Notification notification) {
  std::shared_ptr<PendingCall> call;
  if (notification.method == "notifications/progress") {
    const Result<protocol::ProgressUpdate> update = protocol::decode_progress(notification.params);
    call = update ? find(update->token) : nullptr;
    if (!call) return;
  } else if (const auto id = protocol::decode_subscription_id(notification.params)) {
    call = find(*id);
  } else if (notification.method == "notifications/cancelled") {
    const Result<protocol::RequestId> ended = protocol::decode_cancelled_id(notification.params);
    call = ended ? find(*ended) : nullptr;
  }
  if (!call) return parts_.incoming.notified(notification);
  {
    const MutexLock lock(call->mutex);
    if (call->mail.size() >= kClientProgressWaitingMax) call->mail.pop_front();
    call->mail.push_back(std::move(notification));
  }
  call->changed.notify_all();
}

std::shared_ptr<PipeCalls::PendingCall> PipeCalls::find(const protocol::RequestId& id) const {
  const auto* number = std::get_if<std::int64_t>(&id.value);
  if (number == nullptr) return nullptr;
  const MutexLock lock(mutex_);
  const auto found = pending_.find(*number);
  return found == pending_.end() ? nullptr : found->second;
}

std::shared_ptr<AskScope> PipeCalls::only_asks() const {
  const MutexLock lock(mutex_);
  std::vector<std::shared_ptr<AskScope>> asking;
  for (const auto& [id, call] : pending_) asking.push_back(call->asks);
  return only_one(asking);
}

void PipeCalls::fail(const Error& error) {
  std::map<std::int64_t, std::shared_ptr<PendingCall>> calls;
  {
    const MutexLock lock(mutex_);
    if (failure_) return;
    failure_ = error;
    calls = pending_;
  }
  for (const auto& [id, call] : calls) {
    {
      const MutexLock lock(call->mutex);
      call->failure = error;
    }
    call->changed.notify_all();
  }
}

std::vector<std::int64_t> PipeCalls::pending() const {
  const MutexLock lock(mutex_);
  std::vector<std::int64_t> ids;
  for (const auto& [id, call] : pending_) ids.push_back(id);
  return ids;
}

std::optional<Error> PipeCalls::failure() const {
  const MutexLock lock(mutex_);
  return failure_;
}

}  // namespace sluice::client
