#pragma once

#include <algorithm>
#include <chrono>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

namespace sluice::engine::postgres {

// Spares a server that does not answer: the more attempts have failed, the longer until the next. Any thread.
class Gate {
 public:
  bool is_open() const {
    const MutexLock lock(mutex_);
    return system_clock().now() >= next_;
  }
  void note_success() {
    const MutexLock lock(mutex_);
    pause_ = kPauseMin;
    next_ = {};
  }
  void note_failure() {
    const MutexLock lock(mutex_);
    next_ = system_clock().now() + pause_;
    pause_ = std::min(2 * pause_, kPauseMax);
  }

 private:
  static constexpr std::chrono::milliseconds kPauseMin{50};
  static constexpr std::chrono::milliseconds kPauseMax{2'000};

  mutable Mutex mutex_;
  std::chrono::milliseconds pause_ SLUICE_GUARDED_BY(mutex_) = kPauseMin;
  Monotonic next_ SLUICE_GUARDED_BY(mutex_){};
};

}  // namespace sluice::engine::postgres
