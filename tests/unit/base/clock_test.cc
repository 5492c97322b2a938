#include "sluice/base/clock.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FormatUtc, WritesMilliseconds) {
  EXPECT_EQ(format_utc(WallTime(seconds(0))), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_utc(WallTime(milliseconds(1'794'738'780'123))), "2026-11-15T10:33:00.123Z");
  EXPECT_EQ(format_utc(WallTime(seconds(951'782'400))), "2000-02-29T00:00:00.000Z");
  EXPECT_EQ(format_utc(WallTime(std::chrono::nanoseconds(999'999'999))), "1970-01-01T00:00:00.999Z");
}

TEST(FormatUtc, WritesTimesBeforeTheEpoch) {
  EXPECT_EQ(format_utc(WallTime(milliseconds(-1))), "1969-12-31T23:59:59.999Z");
}

TEST(FormatUtc, WritesTheEndsOfTheClock) {
  EXPECT_EQ(format_utc(WallTime::max()).size(), 24U);
  EXPECT_EQ(format_utc(WallTime::min()).size(), 24U);
}

TEST(SystemClock, DoesNotRunBackwards) {
  const Monotonic before = system_clock().now();
  EXPECT_GE(system_clock().now(), before);
  EXPECT_GT(system_clock().wall(), WallTime(seconds(1'700'000'000)));
}

}  // namespace
}  // namespace sluice
