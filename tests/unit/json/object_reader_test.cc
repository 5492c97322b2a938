#include "sluice/json/object_reader.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::json {
namespace {

using ::testing::ElementsAre;

const Object& sample() {
  static const Object object{
      {"text", "x"},
      {"flag", true},
      {"count", 7},
      {"half", 0.5},
      {"none", {}},
      {"list", Array{"a", 1}},
      {"names", Array{"a", "b"}},
      {"inner", Object{{"deep", 1}}},
  };
  return object;
}

ObjectReader params() { return ObjectReader(sample(), "params"); }

TEST(ObjectReader, ReadsWhatIsThere) {
  EXPECT_EQ(*params().required_string("text"), "x");
  EXPECT_EQ(*params().optional_string("text"), "x");
  EXPECT_EQ(*params().optional_bool("flag"), true);
  EXPECT_EQ(*params().optional_int("count"), 7);
  EXPECT_EQ(*params().optional_number("half"), 0.5);
  EXPECT_EQ((*params().required_array("list"))->size(), 2U);
  EXPECT_THAT(*params().optional_strings("names"), ElementsAre("a", "b"));
  EXPECT_EQ(*params().required_object("inner")->optional_int("deep"), 1);
}

TEST(ObjectReader, HasNothingWhereAFieldIsAbsent) {
  EXPECT_EQ(*params().optional_string("x"), std::nullopt);
  EXPECT_EQ(*params().optional_bool("x"), std::nullopt);
  EXPECT_EQ(*params().optional_int("x"), std::nullopt);
  EXPECT_EQ(*params().optional_number("x"), std::nullopt);
  EXPECT_EQ(*params().optional_array("x"), nullptr);
  EXPECT_FALSE(params().optional_object("x")->has_value());
  EXPECT_TRUE(params().optional_strings("x")->empty());
}

TEST(ObjectReader, NamesTheFieldThatIsMissing) {
  EXPECT_EQ(params().required_string("uri").error().message, "params.uri: required, but missing");
  EXPECT_EQ(params().required_object("uri").error().message, "params.uri: required, but missing");
  EXPECT_EQ(params().required_array("uri").error().message, "params.uri: required, but missing");
  EXPECT_EQ(params().required_array("uri").error().kind, ErrorKind::kInvalidInput);
}

TEST(ObjectReader, SaysWhatItExpectedAndWhatItGot) {
  EXPECT_EQ(params().required_string("count").error().message,
            "params.count: expected a string, got a number");
  EXPECT_EQ(params().optional_string("flag").error().message,
            "params.flag: expected a string, got a boolean");
  EXPECT_EQ(params().optional_bool("text").error().message,
            "params.text: expected true or false, got a string");
  EXPECT_EQ(params().optional_int("list").error().message, "params.list: expected an integer, got an array");
  EXPECT_EQ(params().optional_number("inner").error().message,
            "params.inner: expected a number, got an object");
  EXPECT_EQ(params().required_object("list").error().message,
            "params.list: expected an object, got an array");
  EXPECT_EQ(params().optional_array("text").error().message, "params.text: expected an array, got a string");
}

TEST(ObjectReader, TreatsNullAsAValue) {
  EXPECT_EQ(params().optional_string("none").error().message, "params.none: expected a string, got null");
  EXPECT_EQ(params().optional_object("none").error().message, "params.none: expected an object, got null");
}

TEST(ObjectReader, WantsIntegersThatAreWholeAndFit) {
  EXPECT_EQ(params().optional_int("half").error().message, "params.half: expected a 64-bit integer, got 0.5");
}

TEST(ObjectReader, NamesTheItemOfTheWrongType) {
  EXPECT_EQ(params().optional_strings("list").error().message,
            "params.list[1]: expected a string, got a number");
}

TEST(ObjectReader, NamesThePathOfAnInnerObject) {
  const Result<ObjectReader> inner = params().required_object("inner");
  EXPECT_EQ(inner->required_string("deep").error().message,
            "params.inner.deep: expected a string, got a number");
}

TEST(ObjectReader, NeedsNoPath) {
  const ObjectReader reader(sample(), "");
  EXPECT_EQ(reader.required_string("uri").error().message, "uri: required, but missing");
}

TEST(ObjectReader, WantsAnObjectToReadFrom) {
  EXPECT_EQ(ObjectReader::of(Value("x"), "params").error().message,
            "params: expected an object, got a string");
}

}  // namespace
}  // namespace sluice::json
