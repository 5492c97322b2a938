#include "sluice/base/ids.h"

#include <string>
#include <type_traits>
#include <unordered_set>

#include <gtest/gtest.h>

namespace sluice {
namespace {

static_assert(!std::is_convertible_v<std::string, SessionId>,
              "text becomes an id only where someone says so");
static_assert(!std::is_constructible_v<SessionId, TaskId>, "a task is not a session");
static_assert(!std::is_assignable_v<SessionId&, TaskId>);

TEST(Id, ComparesByText) {
  EXPECT_EQ(SessionId("a"), SessionId("a"));
  EXPECT_NE(SessionId("a"), SessionId("b"));
  EXPECT_LT(SessionId("a"), SessionId("b"));
}

TEST(Id, IsEmptyUntilItIsGiven) {
  EXPECT_TRUE(SessionId().empty());
  EXPECT_EQ(SessionId("x").text(), "x");
}

TEST(Id, CanBeAKey) {
  const std::unordered_set<TaskId> ids = {TaskId("a"), TaskId("b"), TaskId("a")};
  EXPECT_EQ(ids.size(), 2U);
}

}  // namespace
}  // namespace sluice
