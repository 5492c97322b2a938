#include "legacy_stream.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"

namespace sluice::server {

std::string LegacyStream::event_id(std::uint64_t sequence) const {
  return fmt::format("{}-{}", number_, sequence);
}

// Before anything else a stream says where to resume, from the revision on that knows of it: after the last
// event that the client has. Older clients would take the empty event for a message; they get a comment, so
// that the response to their GET begins.
void LegacyStream::prime(std::uint64_t last_seen) {
  streaming_ = true;
  if (exchange_ == nullptr) return;
  protocol::Outbound opening;
  if (revision_ >= protocol::Revision::k2025_11_25)
    opening = {.message = {}, .event_id = event_id(last_seen), .retry = kReconnectDelay};
  if (!exchange_->send(std::move(opening))) exchange_ = nullptr;
}

void LegacyStream::keep(std::string message, bool last) {
  kept_bytes_ += message.size();
  events_.push_back(Event{.sequence = next_sequence_++, .message = std::move(message), .last = last});
  while (events_.size() > kReplayEventsMax || (kept_bytes_ > kReplayBytesMax && events_.size() > 1)) {
    kept_bytes_ -= events_.front().message.size();
    events_.pop_front();
  }
}

bool LegacyStream::deliver(const Event& event) {
  if (exchange_ == nullptr) return false;
  if (event.last) {
    carried_ = event.sequence;
    exchange_->finish(protocol::Final{.message = event.message, .event_id = event_id(event.sequence)});
    exchange_ = nullptr;
    return true;
  }
  const bool sent =
      exchange_->send(protocol::Outbound{.message = event.message, .event_id = event_id(event.sequence)});
  if (sent) {
    carried_ = event.sequence;
  } else {
    exchange_ = nullptr;
  }
  return sent;
}

bool LegacyStream::notify(std::string message) {
  const std::scoped_lock lock(mutex_);
  if (finished_ || !accepts_stream_) return false;
  if (!streaming_) prime(0);
  keep(std::move(message), false);
  deliver(events_.back());
  return true;  // Kept for whoever reconnects.
}

void LegacyStream::finish(protocol::Final final) {
  const std::scoped_lock lock(mutex_);
  if (finished_) return;
  finished_ = true;
  if (!streaming_) {
    if (exchange_ != nullptr) exchange_->finish(std::move(final));
    exchange_ = nullptr;
    return;
  }
  keep(std::move(final.message), true);
  deliver(events_.back());
}

void LegacyStream::abandon() {
  const std::scoped_lock lock(mutex_);
  finished_ = true;
  if (exchange_ == nullptr) return;
  if (streaming_) {
    exchange_->release();
  } else {
    exchange_->finish(protocol::Final{.status = 202});
  }
  exchange_ = nullptr;
}

void LegacyStream::release_connection() {
  const std::scoped_lock lock(mutex_);
  if (finished_ || !accepts_stream_ || revision_ < protocol::Revision::k2025_11_25) return;
  if (!streaming_) prime(0);
  if (exchange_ != nullptr) exchange_->release();
  exchange_ = nullptr;
}

bool LegacyStream::can_notify() const {
  const std::scoped_lock lock(mutex_);
  return accepts_stream_;
}

void LegacyStream::attach(std::shared_ptr<protocol::Exchange> exchange,
                          std::optional<std::uint64_t> last_seen) {
  const std::scoped_lock lock(mutex_);
  const bool opens = exchange->inbound().http && exchange->inbound().http->method == "GET";
  if (exchange_ != nullptr) exchange_->release();
  exchange_ = std::move(exchange);
  if (!opens) {
    accepts_stream_ = !exchange_->inbound().http || exchange_->inbound().http->accepts_stream;
    return;
  }
  const std::uint64_t after = last_seen.value_or(carried_);
  prime(after);
  for (const Event& event : events_) {
    if (event.sequence > after && !deliver(event)) return;
  }
  if (finished_ && exchange_ != nullptr) {
    exchange_->release();
    exchange_ = nullptr;
  }
}

bool LegacyStream::finished() const {
  const std::scoped_lock lock(mutex_);
  return finished_;
}

void LegacyStream::close() {
  const std::scoped_lock lock(mutex_);
  finished_ = true;
  if (exchange_ != nullptr) exchange_->release();
  exchange_ = nullptr;
}

std::optional<EventId> parse_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  EventId id;
  const char* end = text.data() + text.size();
  const auto stream = std::from_chars(text.data(), text.data() + dash, id.stream);
  const auto sequence = std::from_chars(text.data() + dash + 1, end, id.sequence);
  if (stream.ec != std::errc{} || stream.ptr != text.data() + dash || sequence.ec != std::errc{} ||
      sequence.ptr != end)
    return std::nullopt;
  return id;
}

}  // namespace sluice::server
