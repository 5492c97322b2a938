#pragma once

#include <chrono>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/fetch/pause.h"

namespace sluice::fetch::testing {

// Time that passes only where somebody waits, or a test says so.
class FakeTime final : public Clock, public Pause {
 public:
  Monotonic now() const override { return Monotonic(now_); }
  WallTime wall() const override { return WallTime(std::chrono::seconds(1'700'000'000)) + now_; }
  Status wait(std::chrono::milliseconds time, std::stop_token stop) override {
    if (stop.stop_requested()) return cancelled();
    waits.push_back(time);
    now_ += time;
    return {};
  }
  void advance(std::chrono::milliseconds time) { now_ += time; }

  std::vector<std::chrono::milliseconds> waits;

 private:
  std::chrono::milliseconds now_{1'000'000};
};

}  // namespace sluice::fetch::testing
