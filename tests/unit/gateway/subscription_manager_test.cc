// Who wants to hear of what.

#include "sluice/gateway/subscription_manager.h"

#include <gmock/gmock.h>

namespace sluice::gateway {
namespace {

using ::testing::ElementsAre;

TEST(Subscriptions, AreCountedTowardsTheServer) {
  ResourceSubscriptionManager manager("fs");
  int begun = 0;
  int ended = 0;
  std::vector<std::string> heard;
  const auto begin = [&](const std::string&) -> Status { return ++begun, Status(); };
  const auto end = [&](const std::string&) -> Status { return ++ended, Status(); };
  const auto hear = [&](const std::string& uri) { heard.push_back(uri); };

  ASSERT_TRUE(manager.subscribe("file:///live.json", begin, hear).ok());
  ASSERT_TRUE(manager.subscribe("file:///live.json", begin, hear).ok());
  EXPECT_EQ(begun, 1);
  EXPECT_TRUE(manager.is_subscribed("file:///live.json"));
  EXPECT_THAT(manager.subscribed_uris(), ElementsAre("file:///live.json"));
  EXPECT_EQ(manager.handle_update("file:///live.json"), 2U);
  EXPECT_EQ(manager.handle_update("file:///other.json"), 0U);
  EXPECT_THAT(heard, ElementsAre("file:///live.json", "file:///live.json"));

  EXPECT_TRUE(manager.unsubscribe("file:///live.json", end).ok());
  EXPECT_EQ(ended, 0);
  EXPECT_TRUE(manager.unsubscribe("file:///live.json", end).ok());
  EXPECT_EQ(ended, 1);
  EXPECT_FALSE(manager.is_subscribed("file:///live.json"));
  EXPECT_EQ(manager.unsubscribe("file:///live.json", end).error().code, "not_subscribed");
}

TEST(Subscriptions, ThatTheServerRefusesAreNone) {
  ResourceSubscriptionManager manager("fs");
  const auto refuse = [](const std::string&) -> Status { return unsupported("no subscriptions"); };
  EXPECT_FALSE(manager.subscribe("file:///a", refuse, [](const std::string&) {}).ok());
  EXPECT_FALSE(manager.is_subscribed("file:///a"));
}

TEST(Subscriptions, MayEndWhileTheyAreTold) {
  ResourceSubscriptionManager manager("fs");
  const auto fine = [](const std::string&) -> Status { return {}; };
  ASSERT_TRUE(
      manager
          .subscribe("file:///a", fine,
                     [&](const std::string& uri) { EXPECT_TRUE(manager.unsubscribe(uri, fine).ok()); })
          .ok());
  EXPECT_EQ(manager.handle_update("file:///a"), 1U);
  EXPECT_FALSE(manager.is_subscribed("file:///a"));
}

}  // namespace
}  // namespace sluice::gateway
