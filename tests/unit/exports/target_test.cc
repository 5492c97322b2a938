#include "http/target.h"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::exports {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::array<std::string_view, 2> kKnown = {"format", "sql"};

TEST(Target, IsSplitAtTheFirstQuestionMark) {
  EXPECT_EQ(split_target("/a").path, "/a");
  EXPECT_EQ(split_target("/a").query, "");
  EXPECT_EQ(split_target("/a?b?c").path, "/a");
  EXPECT_EQ(split_target("/a?b?c").query, "b?c");
}

TEST(Target, DecodesParametersAsFormsDo) {
  const auto parameters = read_parameters("sql=SELECT+1%2B1&format=csv", kKnown);
  ASSERT_TRUE(parameters.ok());
  EXPECT_THAT(*parameters, UnorderedElementsAre(Pair("sql", "SELECT 1+1"), Pair("format", "csv")));
  EXPECT_THAT(*read_parameters("", kKnown), IsEmpty());
  EXPECT_THAT(*read_parameters("sql", kKnown), UnorderedElementsAre(Pair("sql", "")));
  EXPECT_THAT(*read_parameters("sql=a=b&", kKnown), UnorderedElementsAre(Pair("sql", "a=b")));
}

TEST(Target, RefusesParametersThatAreUnknownRepeatedOrNoText) {
  for (const std::string query : {"sqll=1", "sql=1&sql=2", "sql=%", "sql=%zz", "sql=%ff", "sql=%00", "=1"}) {
    const auto parameters = read_parameters(query, kKnown);
    ASSERT_FALSE(parameters.ok()) << query;
    EXPECT_EQ(parameters.error().code, "invalid_arguments") << query;
  }
  EXPECT_THAT(read_parameters("sqll=1", kKnown).error().hint, HasSubstr("Did you mean sql?"));
}

}  // namespace
}  // namespace sluice::exports
