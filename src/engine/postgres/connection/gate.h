#pragma once

#include <algorithm>
#include <chrono>
#include <mutex>

#include "sluice/base/clock.h"

namespace sluice::engine::postgres {

// Spares a server that does not answer: the more attempts have failed, the longer until the next. Any thread.
class Gate {
 public:
  bool is_open() const {
    const std::lock_guard lock(mutex_);
    return system_clock().now() >= next_;
  }
  void note_success() {
    const std::lock_guard lock(mutex_);
    pause_ = kPauseMin;
    next_ = {};
  }
  void note_failure() {
    const std::lock_guard lock(mutex_);
    next_ = system_clock().now() + pause_;
    pause_ = std::min(2 * pause_, kPauseMax);
  }

 private:
  static constexpr std::chrono::milliseconds kPauseMin{50};
  static constexpr std::chrono::milliseconds kPauseMax{2'000};

  mutable std::mutex mutex_;
  std::chrono::milliseconds pause_ = kPauseMin;
  Monotonic next_{};
};

}  // namespace sluice::engine::postgres
