#include "sluice/base/sleep.h"

#include <thread>

#include <gtest/gtest.h>

#include "sluice/base/clock.h"

namespace sluice {
namespace {

TEST(SleepFor, LastsAsLongAsItIsTold) {
  const Monotonic before = system_clock().now();
  EXPECT_TRUE(sleep_unless_stopped(std::chrono::milliseconds(2), {}));
  EXPECT_GE(system_clock().now() - before, std::chrono::milliseconds(2));
}

TEST(SleepFor, EndsWhenAStopIsRequested) {
  std::stop_source stop;
  std::jthread other([&stop] { stop.request_stop(); });
  EXPECT_FALSE(sleep_unless_stopped(std::chrono::hours(1), stop.get_token()));
}

TEST(SleepFor, DoesNotBeginAfterAStopWasRequested) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(sleep_unless_stopped(std::chrono::hours(1), stop.get_token()));
}

}  // namespace
}  // namespace sluice
