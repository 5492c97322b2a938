#include "relay.h"

#include <utility>

namespace sluice::transport {
namespace {

constexpr std::chrono::milliseconds kTick{5};  // A loan that is seen at two ticks is long.
constexpr int kQuietTicks = 40;                // Without a loan the watch sleeps.
constexpr std::size_t kLeftBehindMax = 16;

}  // namespace

Relay::Relay(Work work) : work_(std::move(work)) {
  const MutexLock lock(mutex_);
  start_runner();
}

Relay::~Relay() {
  {
    const MutexLock lock(mutex_);
    changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return ended_; });
  }
  if (watch_.joinable()) watch_.join();  // It alone starts runners.
  for (Runner& runner : runners_) runner.thread.join();
}

void Relay::join_ended() {
  for (auto runner = runners_.begin(); runner != runners_.end();) {
    if (!runner->ended) {
      ++runner;
      continue;
    }
    runner->thread.join();
    runner = runners_.erase(runner);
  }
}

void Relay::start_runner() {
  join_ended();
  Runner& runner = runners_.emplace_back();
  current_ = &runner;
  runner.thread = std::thread([this, &runner] { run(runner); });
}

void Relay::run(Runner& self) {
  self.id = std::this_thread::get_id();
  while (true) {
    const bool goes_on = work_.step();
    if (self.loan.exchange(0) == kTaken) break;
    if (goes_on) continue;
    const MutexLock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
    return;
  }
  --left_behind_;
  self.ended = true;
}

bool Relay::lend() {
  Runner* self = current_;
  if (left_behind_ >= kLeftBehindMax || self->id.load() != std::this_thread::get_id()) return false;
  self->loan = ++loans_;
  if (is_watching_) return true;
  const MutexLock lock(mutex_);
  is_watching_ = true;
  if (!std::exchange(has_watch_, true)) {
    watch_ = std::thread([this] { watch(); });
  } else {
    changed_.notify_all();
  }
  return true;
}

void Relay::watch() {
  MutexLock lock(mutex_);
  std::uint64_t seen = 0;
  int quiet = 0;
  while (!ended_) {
    if (quiet < kQuietTicks) {
      changed_.wait_for(mutex_, kTick, [this]() SLUICE_REQUIRES(mutex_) { return ended_; });
    } else {
      is_watching_ = false;
      // A loan that did not see this is seen here.
      if (current_.load()->loan == 0)
        changed_.wait(mutex_, [this]() SLUICE_REQUIRES(mutex_) { return ended_ || is_watching_; });
      is_watching_ = true;
      quiet = 0;
    }
    const std::uint64_t loan = current_.load()->loan;
    quiet = loan == 0 ? quiet + 1 : 0;
    if (loan == 0 || loan != seen || ended_) {
      seen = loan;
      continue;
    }
    lock.unlock();
    const bool taken = take_over(loan);
    lock.lock();
    if (taken) start_runner();
    seen = 0;
  }
}

bool Relay::take_over(std::uint64_t loan) {
  ++left_behind_;
  if (current_.load()->loan.compare_exchange_strong(loan, kTaken)) {
    work_.on_change();
    return true;
  }
  --left_behind_;
  return false;
}

}  // namespace sluice::transport
