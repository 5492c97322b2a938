#include "sluice/contents/uri_query.h"

#include <array>

#include <gtest/gtest.h>

namespace sluice::contents {
namespace {

constexpr std::array<std::string_view, 3> kKnown = {"offset", "length", "path"};

TEST(UriQuery, HasWhatStandsInTheUri) {
  const auto query = UriQuery::parse("path=a%2Fb%20c&offset=7", kKnown);
  ASSERT_TRUE(query.has_value());
  EXPECT_EQ(query->text("path"), "a/b c");
  EXPECT_EQ(query->number("offset"), 7U);
  EXPECT_FALSE(query->has("length"));
  EXPECT_EQ(query->text("length"), "");
  EXPECT_EQ(query->range()->offset, 7U);
}

TEST(UriQuery, IsRefusedWhereItIsMalformed) {
  for (const char* text : {"", "offset", "other=1", "offset=1&offset=2", "path=%00", "path=%FF", "path=%2",
                           "offset=1&", "&offset=1", "OFFSET=1"})
    EXPECT_FALSE(UriQuery::parse(text, kKnown).has_value()) << text;
}

TEST(UriQuery, HasNoRangeOfAnythingButNumbers) {
  for (const char* text : {"offset=", "offset=-1", "offset=1x", "length=0", "length=99999999999999999999",
                           "offset=+1", "offset=%20"}) {
    const auto query = UriQuery::parse(text, kKnown);
    ASSERT_TRUE(query.has_value()) << text;
    EXPECT_FALSE(query->range().has_value()) << text;
  }
}

}  // namespace
}  // namespace sluice::contents
