#include "sluice/fetch/rate_limit.h"

#include <string>

#include <gmock/gmock.h>

#include "sluice/base/limits.h"

#include "fake_time.h"

namespace sluice::fetch::testing {
namespace {

using std::chrono::milliseconds;

TEST(RateLimit, GivesABurstThenOneByOne) {
  FakeTime time;
  RateLimit limit({.per_second = 5, .burst = 3}, time);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(limit.take("a").value(), milliseconds(0));
  EXPECT_EQ(limit.take("a").value(), milliseconds(200));
  EXPECT_EQ(limit.take("a").value(), milliseconds(400));
  EXPECT_EQ(limit.take("b").value(), milliseconds(0));
  time.advance(milliseconds(1'000));
  EXPECT_EQ(limit.take("a").value(), milliseconds(0));
}

TEST(RateLimit, RefusesToWaitForTooLong) {
  FakeTime time;
  RateLimit limit({.per_second = 1, .burst = 1, .wait_max = milliseconds(2'000)}, time);
  EXPECT_TRUE(limit.take("a").ok());
  EXPECT_EQ(limit.take("a").value(), milliseconds(1'000));
  EXPECT_EQ(limit.take("a").value(), milliseconds(2'000));
  EXPECT_EQ(limit.take("a").error().code, "rate_limited");
  time.advance(milliseconds(1'000));
  EXPECT_EQ(limit.take("a").value(), milliseconds(2'000));  // Nothing was taken by the refusal.
}

TEST(RateLimit, KnowsABoundedNumberOfHosts) {
  FakeTime time;
  RateLimit limit({.per_second = 1, .burst = 2}, time);
  for (std::size_t i = 0; i < kFetchHostsMax; ++i) EXPECT_TRUE(limit.take(std::to_string(i)).ok());
  EXPECT_EQ(limit.take("one more").error().code, "rate_limited");
  time.advance(milliseconds(5'000));  // All are full again, and forgotten.
  EXPECT_TRUE(limit.take("one more").ok());
}

}  // namespace
}  // namespace sluice::fetch::testing
