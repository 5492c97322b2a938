#include "sluice/base/assert.h"

#include <gtest/gtest.h>

namespace {

TEST(AssertDeathTest, NamesThePlaceTheExpressionAndTheReason) {
  const int seats = 2;
  EXPECT_EXIT(SLUICE_ASSERT(seats > 3, "everybody sits"), testing::KilledBySignal(SIGABRT),
              "assert_test\\.cc:[0-9]+: assertion failed: seats > 3: everybody sits\n");
}

TEST(Assert, EvaluatesItsConditionOnce) {
  int evaluations = 0;
  SLUICE_ASSERT(++evaluations > 0, "it counts");
  EXPECT_EQ(evaluations, 1);
}

// The preset decides: what costs much is checked where builds are slow already.
TEST(CostlyAssertDeathTest, IsCheckedOnlyWhereTheBuildAsksForIt) {
  int evaluations = 0;
  SLUICE_COSTLY_ASSERT(++evaluations > 0, "it counts");
  EXPECT_EQ(evaluations, SLUICE_COSTLY_ASSERTS);
#if SLUICE_COSTLY_ASSERTS
  EXPECT_EXIT(SLUICE_COSTLY_ASSERT(evaluations > 3, "it is on"), testing::KilledBySignal(SIGABRT),
              "it is on");
#else
  SLUICE_COSTLY_ASSERT(evaluations > 3, "it is off");
#endif
}

}  // namespace
