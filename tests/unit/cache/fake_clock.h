#pragma once

#include <atomic>
#include <chrono>

#include "sluice/base/clock.h"

namespace sluice::cache {

// A clock that stands still until it is told otherwise. Any thread.
class FakeClock final : public Clock {
 public:
  Monotonic now() const override { return Monotonic(std::chrono::milliseconds(now_ms_.load())); }
  WallTime wall() const override { return WallTime(std::chrono::milliseconds(now_ms_.load())); }
  void advance(std::chrono::milliseconds by) { now_ms_ += by.count(); }

 private:
  std::atomic<std::chrono::milliseconds::rep> now_ms_{1'000'000};
};

}  // namespace sluice::cache
