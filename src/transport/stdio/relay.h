#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <thread>

#include "sluice/base/mutex.h"

namespace sluice::transport {

// Does one step of work after the other, on a thread of its own. A step may keep that thread for work that
// could block: if it does so for long, another thread goes on with the next step. Short work so costs no
// change of threads, and long work holds up nobody.
class Relay {
 public:
  struct Work {
    std::function<bool()> step;       // One thread at a time. False: that was the last.
    std::function<void()> on_change;  // Before another thread goes on; on a thread that is neither of both.
  };

  explicit Relay(Work work);
  ~Relay();  // Waits for the last step, and for those that were left behind.

  // Within a step, on its thread: what follows may block, and touches nothing that the next step needs.
  // False: too many threads are kept already, so it has to be done elsewhere.
  bool lend();

 private:
  // Zero: the runner is not lent. kTaken: another one goes on.
  using Loan = std::atomic<std::uint64_t>;
  static constexpr std::uint64_t kTaken = UINT64_MAX;

  struct Runner {
    Loan loan{0};
    std::atomic<std::thread::id> id;
    std::atomic<bool> ended{false};
    std::thread thread;
  };

  void start_runner() SLUICE_REQUIRES(mutex_);
  void join_ended() SLUICE_REQUIRES(mutex_);
  void run(Runner& self);
  void watch();
  bool take_over(std::uint64_t loan);  // Of the current runner.

  const Work work_;
  std::uint64_t loans_ = 0;  // Of the current runner.
  std::atomic<std::size_t> left_behind_{0};
  std::atomic<bool> is_watching_{false};  // Otherwise a loan wakes the watch.

  Mutex mutex_;
  CondVar changed_;
  std::list<Runner> runners_ SLUICE_GUARDED_BY(mutex_);  // The last one is current.
  std::atomic<Runner*> current_{nullptr};
  bool ended_ SLUICE_GUARDED_BY(mutex_) = false;
  bool has_watch_ SLUICE_GUARDED_BY(mutex_) = false;
  std::thread watch_;
};

}  // namespace sluice::transport
