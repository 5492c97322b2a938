#include "sluice/base/fair_quota.h"

#include <gtest/gtest.h>

namespace sluice {
namespace {

std::uint64_t take_all(FairQuota& quota, std::string_view holder) {
  std::uint64_t taken = 0;
  while (quota.take(holder, 1)) ++taken;
  return taken;
}

TEST(FairQuota, LeavesHalfToOthersWhenOneHolderTakesAllItCan) {
  FairQuota quota(64);
  EXPECT_EQ(take_all(quota, "greedy"), 32U);
  EXPECT_EQ(take_all(quota, "second"), 16U);
  EXPECT_EQ(take_all(quota, "third"), 8U);
}

TEST(FairQuota, ServesANewHolderAsLongAsAnythingIsFree) {
  FairQuota quota(8);
  for (const char* holder : {"a", "b", "c", "d", "e", "f", "g", "h"}) EXPECT_TRUE(quota.take(holder, 1));
  EXPECT_FALSE(quota.take("i", 1));
}

TEST(FairQuota, GivesEqualSharesToHoldersThatTakeInTurn) {
  FairQuota quota(90);
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  for (int i = 0; i < 90; ++i) {
    if (quota.take("first", 1)) ++first;
    if (quota.take("second", 1)) ++second;
  }
  EXPECT_EQ(first, 30U);
  EXPECT_EQ(second, 30U);
}

TEST(FairQuota, TakesNothingWhenTheWholeAmountDoesNotFit) {
  FairQuota quota(100);
  EXPECT_TRUE(quota.take("a", 40));
  EXPECT_FALSE(quota.take("a", 30));
  EXPECT_TRUE(quota.take("a", 10));
  EXPECT_FALSE(quota.take("b", 51));
  EXPECT_TRUE(quota.take("b", 50));
}

TEST(FairQuota, ATotalOfOneServesOneHolderAtATime) {
  FairQuota quota(1);
  EXPECT_TRUE(quota.take("a", 1));
  EXPECT_FALSE(quota.take("b", 1));
  quota.give_back("a", 1);
  EXPECT_TRUE(quota.take("b", 1));
}

TEST(QuotaShare, GivesBackWhatItHoldsWhenItIsDestroyed) {
  FairQuota quota(10);
  {
    QuotaShare share(quota, "a");
    EXPECT_TRUE(share.grow(3));
    EXPECT_TRUE(share.grow(2));
    EXPECT_FALSE(share.grow(1));
    QuotaShare moved = std::move(share);
    EXPECT_EQ(moved.held(), 5U);
  }
  EXPECT_TRUE(quota.take("b", 10));
}

TEST(QuotaShare, WithoutAQuotaHoldsNothing) {
  QuotaShare share;
  EXPECT_FALSE(share.grow(1));
  share.release();
  EXPECT_EQ(share.held(), 0U);
}

}  // namespace
}  // namespace sluice
