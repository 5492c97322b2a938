#include "interrupter.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "sluice/base/log.h"

namespace sluice::engine::duck {

namespace {

// An interrupt that arrives before a statement has begun is forgotten when it begins, so it is repeated.
constexpr std::chrono::milliseconds kRepeat{5};

// How often the progress of a statement is reported.
constexpr std::chrono::milliseconds kProgressInterval{100};

void report_progress(duckdb_connection connection, std::atomic<double>& progress) {
  const double percentage = duckdb_query_progress(connection).percentage;
  if (percentage >= 0) progress = percentage;  // Negative: not known yet, or never.
}

}  // namespace

Interrupter::Interrupter(Options options)
    : options_(std::move(options)),
      memory_(options_.memory),
      thread_("interrupter", [this](const std::stop_token& stop) { run(stop); }) {}

Interrupter::~Interrupter() { thread_.end(); }

Interrupter::Watch::Watch(Interrupter& owner, duckdb_connection connection, const RunLimits& limits)
    : owner_(owner), connection_(connection), limits_(limits) {
  {
    const MutexLock lock(owner_.mutex_);
    place_ = owner_.watches_.insert(owner_.watches_.end(), this);
    owner_.has_news_ = true;
  }
  const bool is_measured = owner_.options_.memory.bytes_max != 0;
  if (is_measured || limits_.progress != nullptr || limits_.deadline != Monotonic::max())
    owner_.changed_.notify_one();
  on_stop_.emplace(limits_.stop, Wake{this});
}

Interrupter::Watch::~Watch() {
  on_stop_.reset();  // Waits for a callback that is running.
  const MutexLock lock(owner_.mutex_);
  owner_.watches_.erase(place_);
}

Interrupter::Cause Interrupter::Watch::cause() const {
  const MutexLock lock(owner_.mutex_);
  return cause_;
}

void Interrupter::stop(Watch& watch) {
  {
    const MutexLock lock(mutex_);
    interrupt(watch, Cause::kStopped, system_clock().now());
    has_news_ = true;
  }
  changed_.notify_one();
}

void Interrupter::interrupt(Watch& watch, Cause cause, Monotonic now) {
  if (watch.cause_ == Cause::kNone) {
    watch.cause_ = cause;
    watch.caused_ = now;
  }
  duckdb_interrupt(watch.connection_);
}

// One at a time: what it held has to be given back before another one is chosen.
void Interrupter::interrupt_heaviest(Monotonic now) {
  std::vector<MemoryWatch::Share*> running;
  for (Watch* watch : watches_) {
    if (watch->cause_ == Cause::kMemory) return;
    if (watch->cause_ == Cause::kNone) running.push_back(&watch->memory_);
  }
  const MemoryWatch::Share* heaviest = memory_.look(now, running);
  for (Watch* watch : watches_) {
    if (&watch->memory_ != heaviest) continue;
    log::warning("engine.memory", {{"bytes", heaviest->bytes}, {"next", "the statement is cancelled"}});
    interrupt(*watch, Cause::kMemory, now);
  }
}

Monotonic Interrupter::interrupt_due() {
  const Monotonic now = system_clock().now();
  interrupt_heaviest(now);
  Monotonic next = watches_.empty() ? Monotonic::max() : memory_.next(now);
  for (Watch* watch : watches_) {
    if (watch->cause_ == Cause::kNone && watch->limits_.deadline > now) {
      next = std::min(next, watch->limits_.deadline);
      if (watch->limits_.progress != nullptr) {
        report_progress(watch->connection_, *watch->limits_.progress);
        next = std::min(next, now + kProgressInterval);
      }
      continue;
    }
    interrupt(*watch, Cause::kDeadline, now);
    next = std::min(next, now + kRepeat);
    const bool is_ignored = watch->is_inside_ && now - watch->caused_ >= options_.stuck_after;
    if (is_ignored && !is_stuck_.exchange(true))
      log::error("engine.stuck", {{"next", "another engine is opened"}});
  }
  return next;
}

void Interrupter::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  const auto has_news = [this]() SLUICE_REQUIRES(mutex_) { return has_news_; };
  while (!stop.stop_requested()) {
    has_news_ = false;
    const Monotonic next = interrupt_due();
    if (next == Monotonic::max()) {
      changed_.wait(mutex_, stop, has_news);
    } else {
      changed_.wait_until(mutex_, stop, next, has_news);
    }
  }
}

}  // namespace sluice::engine::duck
