#include "sluice/json/reader.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sluice/json/value.h"

namespace sluice::json {
namespace {

using ::testing::HasSubstr;

Value must_read(std::string_view text) {
  Result<Value> value = read(text);
  EXPECT_TRUE(value.ok()) << text << ": " << (value.ok() ? "" : value.error().message);
  return value.ok() ? *value : Value();
}

Error must_refuse(std::string_view text, const ReadLimits& limits = {}) {
  Result<Value> value = read(text, limits);
  EXPECT_FALSE(value.ok()) << text;
  return value.ok() ? Error{} : value.error();
}

std::string nested(std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(JsonReader, ReadsEveryKindOfValue) {
  const Value value = must_read(R"( {"a":null,"b":[true,false],"c":-1.5e3,"d":"x","e":{}} )");
  EXPECT_TRUE(value.find("a")->is_null());
  EXPECT_TRUE(*(*value.find("b")->if_array())[0].if_bool());
  EXPECT_EQ(value.find("c")->if_number()->text, "-1.5e3");
  EXPECT_EQ(*value.find("d")->if_string(), "x");
  EXPECT_TRUE(value.find("e")->if_object()->empty());
}

TEST(JsonReader, KeepsTheOrderOfMembers) {
  EXPECT_EQ(to_text(must_read(R"({"z":1,"a":2,"m":3})")), R"({"z":1,"a":2,"m":3})");
}

TEST(JsonReader, RefusesTextThatEndsEarly) {
  for (const std::string_view text : {"", " ", "{", "[", "[1,", R"({"a")", R"({"a":)", R"({"a":1)", R"("abc)",
                                      R"("a\)", R"("\u12)", "tru", "nul", "-", "1e"}) {
    const Error error = must_refuse(text);
    EXPECT_EQ(error.kind, ErrorKind::kInvalidInput) << text;
    EXPECT_EQ(error.code, "invalid_json") << text;
    EXPECT_THAT(error.message, HasSubstr("the text ends in the middle of a value")) << text;
  }
}

TEST(JsonReader, TakesSixtyFourLevelsAndNotOneMore) {
  must_read(nested(64));
  EXPECT_THAT(must_refuse(nested(65)).message, HasSubstr("nested deeper than 64 levels"));
}

TEST(JsonReader, CountsObjectsAndArraysAsLevelsAlike) {
  std::string deep;
  for (int i = 0; i < 33; ++i) deep += R"([{"a":)";
  EXPECT_THAT(must_refuse(deep).message, HasSubstr("nested deeper than 64 levels"));
}

TEST(JsonReader, SurvivesAMillionOpenBrackets) {
  EXPECT_THAT(must_refuse(std::string(1'000'000, '[')).message, HasSubstr("nested deeper"));
}

TEST(JsonReader, TakesAsManyBytesAsAllowedAndNotOneMore) {
  const ReadLimits limits{.bytes_max = 5};
  EXPECT_TRUE(read("12345", limits).ok());
  const Error error = must_refuse("123456", limits);
  EXPECT_EQ(error.kind, ErrorKind::kLimitReached);
  EXPECT_EQ(error.code, "message_too_large");
}

TEST(JsonReader, TakesAsManyValuesAsAllowedAndNotOneMore) {
  const ReadLimits limits{.values_max = 4};
  EXPECT_TRUE(read("[1,2,3]", limits).ok());
  EXPECT_THAT(must_refuse("[1,2,3,4]", limits).message, HasSubstr("more than 4 values in one message"));
}

TEST(JsonReader, RefusesWhatIsNotUtf8) {
  for (const std::string_view bytes : {"\xff", "\x80", "\xc0\xaf", "\xc3", "\xe2\x82", "\xed\xa0\x80",
                                       "\xf5\x80\x80\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80"}) {
    const std::string in_string = "\"" + std::string(bytes) + "\"";
    EXPECT_EQ(must_refuse(in_string).code, "invalid_json");
    EXPECT_EQ(must_refuse("{" + in_string + ":1}").code, "invalid_json");
  }
}

TEST(JsonReader, ReadsUtf8AndItsEscapesAlike) {
  EXPECT_EQ(*must_read("\"\xc3\xa9\xf0\x9f\x98\x80\"").if_string(),
            *must_read(R"("\u00e9\ud83d\ude00")").if_string());
}

TEST(JsonReader, RefusesHalvesOfSurrogatePairs) {
  for (const std::string_view text : {R"("\ud800")", R"("\ud800x")", R"("\ud800\n")", R"("\udc00")",
                                      R"("\ud800\ud800")", R"("\ud800\u0041")", R"({"\udfff":1})"}) {
    EXPECT_EQ(must_refuse(text).code, "invalid_json") << text;
  }
}

TEST(JsonReader, KeepsAnEscapedNul) {
  EXPECT_EQ(*must_read(R"("a\u0000b")").if_string(), std::string("a\0b", 3));
}

TEST(JsonReader, RefusesControlCharactersInStrings) {
  for (const std::string_view text :
       {std::string_view("\"\n\""), std::string_view("\"\t\""), std::string_view("\"\0\"", 3)}) {
    EXPECT_EQ(must_refuse(text).code, "invalid_json");
  }
}

TEST(JsonReader, NamesTheKeyThatStandsTwice) {
  EXPECT_THAT(must_refuse(R"({"a":1,"b":2,"a":3})").message, HasSubstr(R"(the key "a" stands twice)"));
}

TEST(JsonReader, SeesThroughEscapesInKeys) {
  EXPECT_THAT(must_refuse(R"({"a":1,"\u0061":2})").message, HasSubstr(R"(the key "a" stands twice)"));
}

TEST(JsonReader, NamesTheKeyThatStandsTwiceAmongMany) {
  std::string text = "{";
  for (int i = 0; i < 50; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_THAT(must_refuse(text + R"("k7":1})").message, HasSubstr(R"(the key "k7" stands twice)"));
  EXPECT_EQ(must_read(text + R"("k50":1})").if_object()->size(), 51U);
}

TEST(JsonReader, TakesTheLastOfEqualKeysWhereItIsToldTo) {
  const Result<Value> value = read(R"({"a":1,"b":{"x":1,"x":2},"a":3})", {.last_key_wins = true});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(to_text(*value), R"({"a":3,"b":{"x":2}})");
}

TEST(JsonReader, TakesTheSameKeyInDifferentObjects) { must_read(R"({"a":{"a":{"a":1}},"b":{"a":2}})"); }

TEST(JsonReader, KeepsNumbersAsTheyWereWritten) {
  for (const std::string_view text :
       {"0", "-0", "1.10", "1E5", "1e+5", "12345678901234567890", "-12345678901234567890123456789", "1e400",
        "-1e-400", "0.1000000000000000055511151231257827", "1e99999", "18446744073709551616",
        "9007199254740993"}) {
    EXPECT_EQ(must_read(text).if_number()->text, text);
    EXPECT_EQ(to_text(must_read("[" + std::string(text) + "]")), "[" + std::string(text) + "]");
  }
}

TEST(JsonReader, RefusesWhatIsNoNumber) {
  for (const std::string_view text : {"01", "-01", "+1", ".5", "1.e5", "1..2", "--1", "0x10", "1_000", "NaN",
                                      "Infinity", "-Infinity", "1e5.5", "00", "1.", "1e+"}) {
    EXPECT_EQ(must_refuse(text).code, "invalid_json") << text;
  }
}

TEST(JsonReader, RefusesANumberOfMoreThan256Characters) {
  must_read(std::string(256, '1'));
  EXPECT_THAT(must_refuse(std::string(257, '1')).message, HasSubstr("a number of more than 256 characters"));
}

TEST(JsonReader, RefusesAnExponentOfMoreThan31Bits) {
  EXPECT_THAT(must_refuse("1e99999999999").message, HasSubstr("exponent overflow"));
}

TEST(JsonReader, RefusesWhatFollowsTheValue) {
  for (const std::string_view text : {"1 2", "{} x", "[]]", "null,", "\"a\"\"b\"", "true false"}) {
    EXPECT_THAT(must_refuse(text).message, HasSubstr("something follows the value")) << text;
  }
}

TEST(JsonReader, TakesWhiteSpaceAroundTheValue) { must_read(" \t\r\n[ 1 , 2 ]\r\n\t "); }

TEST(JsonReader, RefusesExtensionsOfTheGrammar) {
  for (const std::string_view text :
       {"[1,]", R"({"a":1,})", "{a:1}", "{'a':1}", "['a']", "// x\n1", "/* x */ 1", "[1 2]", R"({"a" 1})",
        R"({1:2})", "TRUE", "undefined", "\xef\xbb\xbf{}", R"("\x41")"}) {
    EXPECT_EQ(must_refuse(text).code, "invalid_json") << text;
  }
}

TEST(JsonReader, SaysAtWhichByteItStopped) {
  EXPECT_THAT(must_refuse("[1, x]").message, HasSubstr("invalid JSON at byte 4"));
}

}  // namespace
}  // namespace sluice::json
