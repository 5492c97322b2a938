#include "http/http_exchange.h"

#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"

#include "http/sse_encode.h"

namespace sluice::transport {

bool ResponseQueue::push(const protocol::Outbound& event) {
  const MutexLock lock(mutex_);
  if (!limits_.accepts_stream || is_over()) return false;
  if (!has_room(event.message.size() + event.event_id.size())) {
    overflowed_ = true;
    asleep_ = true;  // Even a connection that is writing must hear of it: its write may never end.
    notify();
    return false;
  }
  streaming_ = true;
  append_sse_event(events_, event);
  ++messages_;
  notify();
  return true;
}

void ResponseQueue::finish(protocol::Final final) {
  const MutexLock lock(mutex_);
  if (is_over()) return;
  bool has_body = false;
  if (!streaming_) {
    has_body = final.body != nullptr;
    reply_ = std::move(final);
  } else if (!final.message.empty()) {
    append_sse_event(
        events_, {.message = std::move(final.message), .event_id = std::move(final.event_id), .retry = {}});
  }
  end_ = has_body ? End::kFinishedWithBody : End::kFinished;
  notify();
}

void ResponseQueue::release() {
  const MutexLock lock(mutex_);
  if (is_over()) return;
  // Without a reply the connection opens an empty stream; a peer that takes none is told that nothing
  // follows.
  if (!streaming_ && !limits_.accepts_stream) reply_.emplace().status = 202;
  end_ = End::kFinished;
  notify();
}

void ResponseQueue::abandon() {
  {
    const MutexLock lock(mutex_);
    if (is_over()) return;
    if (!streaming_) reply_ = refuse(500, "The request was dropped without an answer", limits_.form);
    end_ = End::kFinished;
    notify();
  }
  log::error("http_exchange_dropped");
}

bool ResponseQueue::has_room(std::size_t more_bytes) const {
  const std::size_t messages = messages_ + messages_in_flight_;
  if (messages == 0) return true;
  const std::size_t bytes = events_.size() + bytes_in_flight_;
  return messages < kStreamQueueMessagesMax && bytes + more_bytes <= limits_.bytes_max;
}

// Under the lock: close() waits for it, so the connection and its I/O context are alive during the call.
void ResponseQueue::notify() {
  if (std::exchange(asleep_, false)) waker_->wake();
}

ResponseQueue::Batch ResponseQueue::take() {
  const MutexLock lock(mutex_);
  Batch batch{.events = std::exchange(events_, {}), .reply = std::exchange(reply_, std::nullopt)};
  batch.ended = end_ != End::kOpen;
  batch.overflowed = overflowed_;
  bytes_in_flight_ = batch.events.size();
  messages_in_flight_ = std::exchange(messages_, 0);
  asleep_ = batch.empty();
  return batch;
}

bool ResponseQueue::overflowed() const {
  const MutexLock lock(mutex_);
  return overflowed_;
}

std::shared_ptr<protocol::Body> ResponseQueue::close() {
  std::shared_ptr<protocol::Body> body;
  {
    const MutexLock lock(mutex_);
    waker_ = nullptr;
    std::exchange(events_, {});
    if (reply_) body = std::move(reply_->body);
    if (end_ == End::kFinished) return body;
  }
  gone_.request_stop();  // Without the lock: callbacks may use the exchange.
  return body;
}

HttpExchange::HttpExchange(std::shared_ptr<ResponseQueue> queue, protocol::Inbound inbound)
    : queue_(std::move(queue)), inbound_(std::move(inbound)) {}

HttpExchange::~HttpExchange() { queue_->abandon(); }

bool HttpExchange::send(protocol::Outbound message) { return queue_->push(message); }
void HttpExchange::finish(protocol::Final final) { queue_->finish(std::move(final)); }
void HttpExchange::release() { queue_->release(); }

}  // namespace sluice::transport
