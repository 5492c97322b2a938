#include "session/legacy_session.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"

#include "call/share_limits.h"

namespace sluice::server {

LegacySession::LegacySession(SessionId id, protocol::legacy::InitializeParams opened, Principal principal,
                             std::shared_ptr<protocol::Connection> connection)
    : id_(std::move(id)),
      opened_(std::move(opened)),
      principal_(std::move(principal)),
      connection_(std::move(connection)),
      standalone_(std::make_shared<LegacyStream>(0, opened_.revision, log_)) {}

void LegacySession::set_ready() {
  const MutexLock lock(mutex_);
  ready_ = true;
}

protocol::LogLevel LegacySession::log_level() const {
  const MutexLock lock(mutex_);
  return log_level_;
}

void LegacySession::set_log_level(protocol::LogLevel level) {
  const MutexLock lock(mutex_);
  log_level_ = level;
}

void LegacySession::send_unsolicited(std::string message) {
  {
    const MutexLock lock(mutex_);
    if (!ready_ || closed_) return;
  }
  if (connection_ != nullptr) {
    connection_->send(std::move(message));
  } else {
    standalone_->notify(std::move(message));
  }
}

Result<bool> LegacySession::subscribe(const std::string& uri, QuotaShare share) {
  const MutexLock lock(mutex_);
  if (subscriptions_.size() >= kSubscriptionUrisMax)
    return limit_reached("subscriptions in one session", kSubscriptionUrisMax);
  return subscriptions_.emplace(uri, std::move(share)).second;
}

bool LegacySession::unsubscribe(const std::string& uri) {
  const MutexLock lock(mutex_);
  return subscriptions_.erase(uri) > 0;
}

bool LegacySession::is_subscribed(const std::string& uri) const {
  const MutexLock lock(mutex_);
  return subscriptions_.contains(uri);
}

std::vector<std::string> LegacySession::subscriptions() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> uris;
  for (const auto& [uri, share] : subscriptions_) uris.push_back(uri);
  return uris;
}

protocol::RequestId LegacySession::open_question() {
  MutexLock lock(mutex_);
  const std::int64_t id = next_question_++;
  questions_.emplace(id, OpenQuestion{});
  return protocol::RequestId{id};
}

// The client may be gone without a word: in the legacy era that is no cancellation, and the worker would wait
// for the whole time that a person has to answer.
std::optional<Error> LegacySession::wait_until_answered(std::int64_t number, const AskLimits& limits) {
  const auto ready = [&]() SLUICE_REQUIRES(mutex_) {
    return closed_ || questions_.at(number).response.has_value();
  };
  Monotonic reached = limits.clock.now();
  const Monotonic end = reached + limits.at_most;
  while (true) {
    const auto slice = std::min<Monotonic::duration>(kReachableInterval, end - limits.clock.now());
    if (answered_.wait_for(mutex_, limits.stop, slice, ready))
      return questions_.at(number).response ? std::nullopt : std::optional(cancelled());
    if (limits.stop.stop_requested()) return cancelled();
    const Monotonic now = limits.clock.now();
    if (now >= end)
      return make_error(ErrorKind::kDeadline, "the client did not answer in time").with_code("ask_timeout");
    mutex_.unlock();
    const bool is_reachable = limits.is_reachable();
    mutex_.lock();
    if (is_reachable) reached = now;
    if (now - reached >= limits.unreachable_max)
      return unavailable("the client disconnected before it answered").with_code("ask_abandoned");
  }
}

Result<protocol::Response> LegacySession::wait_answer(const protocol::RequestId& id,
                                                      const AskLimits& limits) {
  const std::int64_t number = std::get<std::int64_t>(id.value);
  MutexLock lock(mutex_);
  const std::optional<Error> failure = wait_until_answered(number, limits);
  std::optional<protocol::Response> response = std::move(questions_.at(number).response);
  questions_.erase(number);
  if (response) return *std::move(response);
  return failure.value_or(cancelled());
}

void LegacySession::answer(protocol::Response response) {
  const auto* number = std::get_if<std::int64_t>(&response.id.value);
  if (number == nullptr) return;
  const MutexLock lock(mutex_);
  const auto at = questions_.find(*number);
  if (at == questions_.end() || at->second.response) return;
  at->second.response = std::move(response);
  answered_.notify_all();
}

std::shared_ptr<LegacyStream> LegacySession::open_stream(std::shared_ptr<protocol::Exchange> exchange) {
  std::shared_ptr<LegacyStream> stream;
  {
    const MutexLock lock(mutex_);
    stream = std::make_shared<LegacyStream>(next_stream_++, opened_.revision, log_);
    // Streams that are done are kept for a while, in case their last events were lost on the way.
    for (auto at = streams_.begin(); streams_.size() >= kStreamsPerSessionMax && at != streams_.end();) {
      at = at->second->finished() ? streams_.erase(at) : std::next(at);
    }
    streams_.emplace(stream->number(), stream);
  }
  stream->attach(std::move(exchange), std::nullopt);
  return stream;
}

void LegacySession::resume(std::shared_ptr<protocol::Exchange> exchange,
                           const std::optional<std::string>& last_event_id) {
  std::shared_ptr<LegacyStream> stream = standalone_;
  std::optional<std::uint64_t> last_seen;
  if (last_event_id) {
    if (const std::optional<EventId> id = parse_event_id(*last_event_id)) {
      const MutexLock lock(mutex_);
      const auto at = streams_.find(id->stream);
      if (at != streams_.end()) stream = at->second;
      if (at != streams_.end() || id->stream == 0) last_seen = id->sequence;
    }
  }
  stream->attach(std::move(exchange), last_seen);
}

void LegacySession::touch(Monotonic now) {
  const MutexLock lock(mutex_);
  last_used_ = now;
}

Monotonic LegacySession::last_used() const {
  const MutexLock lock(mutex_);
  return last_used_;
}

void LegacySession::close() {
  std::map<std::uint64_t, std::shared_ptr<LegacyStream>> streams;
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    streams.swap(streams_);
    answered_.notify_all();
  }
  for (const auto& [number, stream] : streams) stream->close();
  standalone_->close();
}

}  // namespace sluice::server
