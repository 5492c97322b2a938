#include "sluice/json/value.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"

namespace sluice::json {
namespace {

Value parse(std::string_view text) { return *read(text); }

bool same(std::string_view a, std::string_view b) { return equal(parse(a), parse(b)); }

TEST(JsonNumber, IsAnInt64WhereItIsWholeAndFits) {
  EXPECT_EQ(Number{"42"}.as_int64(), 42);
  EXPECT_EQ(Number{"-0"}.as_int64(), 0);
  EXPECT_EQ(Number{"3.0"}.as_int64(), 3);
  EXPECT_EQ(Number{"1e2"}.as_int64(), 100);
  EXPECT_EQ(Number{"1200e-2"}.as_int64(), 12);
  EXPECT_EQ(Number{"0e99999999999999999999"}.as_int64(), 0);
  EXPECT_EQ(Number{"9223372036854775807"}.as_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Number{"-9223372036854775808"}.as_int64(), std::numeric_limits<std::int64_t>::min());
}

TEST(JsonNumber, IsNoInt64WhereItIsBrokenOrTooLarge) {
  for (const char* text : {"3.5", "1e-1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
                           "1e99999999999999999999"}) {
    EXPECT_EQ(Number{text}.as_int64(), std::nullopt) << text;
  }
}

TEST(JsonNumber, IsTheNearestDouble) {
  EXPECT_EQ(Number{"0.1"}.as_double(), 0.1);
  EXPECT_EQ(Number{"1E2"}.as_double(), 100.0);
  EXPECT_EQ(Number{"9007199254740993"}.as_double(), 9007199254740992.0);
  EXPECT_EQ(Number{"1e400"}.as_double(), HUGE_VAL);
  EXPECT_EQ(Number{"-1e400"}.as_double(), -HUGE_VAL);
  EXPECT_EQ(Number{"1e-400"}.as_double(), 0.0);
}

TEST(JsonNumber, KnowsWhetherItIsWhole) {
  for (const char* text : {"0", "-7", "1.0", "1.50e1", "1e400", "123456789012345678901234567890", "0.0e-7"}) {
    EXPECT_TRUE(Number{text}.is_integer()) << text;
  }
  for (const char* text : {"0.5", "1e-1", "123456789012345678901234567890.5", "1.05e1"}) {
    EXPECT_FALSE(Number{text}.is_integer()) << text;
  }
}

TEST(JsonEqual, ComparesNumbersByValue) {
  EXPECT_TRUE(same("1", "1.0"));
  EXPECT_TRUE(same("100", "1e2"));
  EXPECT_TRUE(same("0", "-0.0"));
  EXPECT_TRUE(same("0.1", "1e-1"));
  EXPECT_FALSE(same("9007199254740992", "9007199254740993"));
  EXPECT_FALSE(same("1", "-1"));
}

TEST(JsonEqual, KeepsTypesApart) {
  EXPECT_FALSE(same("0", "false"));
  EXPECT_FALSE(same("1", "\"1\""));
  EXPECT_FALSE(same("null", "false"));
  EXPECT_FALSE(same("[]", "{}"));
}

TEST(JsonEqual, IgnoresTheOrderOfKeysButNotOfItems) {
  EXPECT_TRUE(same(R"({"a":1,"b":[1,2]})", R"({"b":[1.0,2],"a":1})"));
  EXPECT_FALSE(same("[1,2]", "[2,1]"));
  EXPECT_FALSE(same("[1]", "[1,1]"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"b":1})"));
  EXPECT_FALSE(same(R"({"a":1})", R"({"a":1,"b":1})"));
}

TEST(JsonEqual, ComparesLargeObjects) {
  Object forward;
  Object backward;
  constexpr int kMembers = 100'000;
  for (int i = 0; i < kMembers; ++i) forward.append_unchecked(std::to_string(i), i);
  for (int i = kMembers - 1; i >= 0; --i) backward.append_unchecked(std::to_string(i), i);
  EXPECT_TRUE(equal(forward, backward));  // Looking up each key would take minutes.
  backward.append_unchecked("x", 0);
  forward.append_unchecked("y", 0);
  EXPECT_FALSE(equal(forward, backward));
}

TEST(JsonObject, ReplacesTheValueOfAKeyThatIsThere) {
  Object object{{"a", 1}, {"b", 2}};
  object.set("a", 3);
  object.set("c", 4);
  EXPECT_EQ(to_text(object), R"({"a":3,"b":2,"c":4})");
}

TEST(JsonObject, ErasesAKey) {
  Object object{{"a", 1}, {"b", 2}};
  EXPECT_TRUE(object.erase("a"));
  EXPECT_FALSE(object.erase("a"));
  EXPECT_EQ(to_text(object), R"({"b":2})");
}

TEST(JsonValue, TurnsWhatIsNotFiniteIntoNull) {
  EXPECT_TRUE(Value(std::nan("")).is_null());
  EXPECT_TRUE(Value(HUGE_VAL).is_null());
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
}

TEST(JsonValue, FindsNothingInWhatIsNoObject) {
  EXPECT_EQ(Value("text").find("a"), nullptr);
  EXPECT_EQ(Value(Array{1, 2}).find("a"), nullptr);
}

}  // namespace
}  // namespace sluice::json
