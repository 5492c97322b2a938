#include "session/legacy_stream.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"

namespace sluice::server {
namespace {

std::optional<std::uint64_t> parse_number(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || rest != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace

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

bool LegacyStream::deliver(ReplayLog::Event event) {
  if (exchange_ == nullptr) return false;
  const std::string id = event_id(event.sequence);
  if (event.last) {
    carried_ = event.sequence;
    exchange_->finish(protocol::Final{.message = std::move(event.message), .event_id = id});
    exchange_ = nullptr;
    return true;
  }
  const bool sent = exchange_->send(protocol::Outbound{.message = std::move(event.message), .event_id = id});
  if (sent) {
    carried_ = event.sequence;
  } else {
    exchange_ = nullptr;
  }
  return sent;
}

// Whether or not somebody is connected, it is kept for whoever reconnects.
void LegacyStream::deliver_and_keep(ReplayLog::Event event) {
  event.stream = number_;
  event.sequence = next_sequence_++;
  if (exchange_ != nullptr) deliver(event);
  log_->keep(std::move(event));
}

bool LegacyStream::notify(std::string message) {
  const MutexLock lock(mutex_);
  if (finished_ || !accepts_stream_) return false;
  if (!streaming_) prime(0);
  deliver_and_keep({.message = std::move(message)});
  return true;
}

void LegacyStream::finish(protocol::Final final) {
  const MutexLock lock(mutex_);
  if (finished_) return;
  finished_ = true;
  if (!streaming_) {
    if (exchange_ != nullptr) exchange_->finish(std::move(final));
    exchange_ = nullptr;
    return;
  }
  deliver_and_keep({.message = std::move(final.message), .last = true});
}

void LegacyStream::abandon() {
  const MutexLock lock(mutex_);
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
  const MutexLock lock(mutex_);
  if (finished_ || !accepts_stream_ || revision_ < protocol::Revision::k2025_11_25) return;
  if (!streaming_) prime(0);
  if (exchange_ != nullptr) exchange_->release();
  exchange_ = nullptr;
}

bool LegacyStream::can_notify() const {
  const MutexLock lock(mutex_);
  return accepts_stream_;
}

bool LegacyStream::is_connected() const {
  const MutexLock lock(mutex_);
  return exchange_ != nullptr && !exchange_->gone().stop_requested();
}

void LegacyStream::attach(std::shared_ptr<protocol::Exchange> exchange,
                          std::optional<std::uint64_t> last_seen) {
  const MutexLock lock(mutex_);
  const bool opens = exchange->inbound().http && exchange->inbound().http->method == "GET";
  if (exchange_ != nullptr) exchange_->release();
  exchange_ = std::move(exchange);
  if (!opens) {
    accepts_stream_ = !exchange_->inbound().http || exchange_->inbound().http->accepts_stream;
    return;
  }
  const std::uint64_t after = last_seen.value_or(carried_);
  prime(after);
  for (ReplayLog::Event& event : log_->after(number_, after)) {
    if (!deliver(std::move(event))) return;
  }
  if (finished_ && exchange_ != nullptr) {
    exchange_->release();
    exchange_ = nullptr;
  }
}

bool LegacyStream::finished() const {
  const MutexLock lock(mutex_);
  return finished_;
}

void LegacyStream::close() {
  const MutexLock lock(mutex_);
  finished_ = true;
  if (exchange_ != nullptr) exchange_->release();
  exchange_ = nullptr;
}

std::optional<EventId> parse_event_id(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> stream = parse_number(text.substr(0, dash));
  const std::optional<std::uint64_t> sequence = parse_number(text.substr(dash + 1));
  if (!stream || !sequence) return std::nullopt;
  return EventId{.stream = *stream, .sequence = *sequence};
}

}  // namespace sluice::server
