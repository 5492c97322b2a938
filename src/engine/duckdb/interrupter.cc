#include "duckdb/interrupter.h"

#include <algorithm>
#include <chrono>

namespace sluice::engine::duck {

namespace {

// An interrupt that arrives before a statement has begun is forgotten when it begins, so it is repeated.
constexpr std::chrono::milliseconds kRepeat{5};

}  // namespace

Interrupter::Interrupter() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

Interrupter::~Interrupter() {
  thread_.request_stop();
  thread_.join();
}

Interrupter::Watch::Watch(Interrupter& owner, duckdb_connection connection, const RunLimits& limits)
    : owner_(owner), connection_(connection), limits_(limits) {
  {
    const std::lock_guard lock(owner_.mutex_);
    place_ = owner_.watches_.insert(owner_.watches_.end(), this);
    owner_.has_news_ = true;
  }
  if (limits_.deadline != Monotonic::max()) owner_.changed_.notify_one();
  on_stop_.emplace(limits_.stop, Wake{this});
}

Interrupter::Watch::~Watch() {
  on_stop_.reset();  // Waits for a callback that is running.
  const std::lock_guard lock(owner_.mutex_);
  owner_.watches_.erase(place_);
}

Interrupter::Cause Interrupter::Watch::cause() const {
  const std::lock_guard lock(owner_.mutex_);
  return cause_;
}

void Interrupter::stop(Watch& watch) {
  {
    const std::lock_guard lock(mutex_);
    if (watch.cause_ == Cause::kNone) watch.cause_ = Cause::kStopped;
    duckdb_interrupt(watch.connection_);
    has_news_ = true;
  }
  changed_.notify_one();
}

Monotonic Interrupter::interrupt_due() {
  const Monotonic now = system_clock().now();
  Monotonic next = Monotonic::max();
  for (Watch* watch : watches_) {
    if (watch->cause_ == Cause::kNone && watch->limits_.deadline <= now) watch->cause_ = Cause::kDeadline;
    if (watch->cause_ == Cause::kNone) {
      next = std::min(next, watch->limits_.deadline);
    } else {
      duckdb_interrupt(watch->connection_);
      next = std::min(next, now + kRepeat);
    }
  }
  return next;
}

void Interrupter::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto has_news = [this] { return has_news_; };
  while (!stop.stop_requested()) {
    has_news_ = false;
    const Monotonic next = interrupt_due();
    if (next == Monotonic::max()) {
      changed_.wait(lock, stop, has_news);
    } else {
      changed_.wait_until(lock, stop, next, has_news);
    }
  }
}

}  // namespace sluice::engine::duck
