#include "sluice/json/writer.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sluice/json/reader.h"
#include "sluice/json/value.h"

namespace sluice::json {
namespace {

std::string string_text(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

TEST(JsonWriter, EscapesWhatMustBe) {
  EXPECT_EQ(string_text("\"\\\n\r\t\b\f"), R"("\"\\\n\r\t\b\f")");
  EXPECT_EQ(string_text(std::string_view("\0\x01\x1f", 3)), R"("\u0000\u0001\u001f")");
}

TEST(JsonWriter, LeavesTheRestAlone) { EXPECT_EQ(string_text("a/b <'&>\x7f é 😀"), "\"a/b <'&>\x7f é 😀\""); }

TEST(JsonWriter, FindsAnEscapeAtEveryPlaceOfAWord) {
  for (const char special : {'"', '\\', '\n', '\x1f', '\0'}) {
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'a');
      text[place] = special;
      const Result<Value> back = read(string_text(text));
      ASSERT_TRUE(back.ok()) << place;
      EXPECT_EQ(*back->if_string(), text);
    }
  }
}

TEST(JsonWriter, EscapesTextThatIsLongAndFullOfQuotes) {
  std::string text;
  std::string expected = "\"";
  for (int i = 0; text.size() < 10'000; ++i) {
    const std::string name = std::string(static_cast<std::size_t>(i % 13), 'a') + "é";
    text += "{\"" + name + "\":\"\\\n\"}";
    expected += "{\\\"" + name + "\\\":\\\"\\\\\\n\\\"}";
  }
  EXPECT_EQ(string_text(text), expected + "\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(string_text("a\xff"), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(string_text("\xc3"), "\"\xef\xbf\xbd\"");
  EXPECT_EQ(string_text("\xc3x"), "\"\xef\xbf\xbdx\"");
  EXPECT_EQ(string_text("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(string_text("\xc0\xaf"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");
  EXPECT_EQ(string_text("\xf4\x90\x80\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(JsonWriter, WritesValidJsonWhateverTheBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; second += 5) {
      std::string text = "padding";
      text.push_back(static_cast<char>(first));
      text.push_back(static_cast<char>(second));
      text += "padding";
      EXPECT_TRUE(read(string_text(text)).ok()) << first << " " << second;
    }
  }
}

TEST(JsonWriter, PlacesCommas) {
  Writer out;
  out.begin_object()
      .field("a", 1)
      .field("b", "x")
      .key("c")
      .begin_array()
      .null()
      .boolean(true)
      .begin_object()
      .end_object();
  out.end_array().field("d", false).end_object();
  EXPECT_EQ(out.text(), R"({"a":1,"b":"x","c":[null,true,{}],"d":false})");
}

TEST(JsonWriter, LeavesAbsentFieldsOut) {
  Writer out;
  out.begin_object();
  out.field_if("a", std::optional<std::string>{});
  out.field_if("b", std::optional<std::string>{"x"});
  out.end_object();
  EXPECT_EQ(out.text(), R"({"b":"x"})");
}

TEST(JsonWriter, WritesNumbersOfEverySize) {
  Writer out;
  out.begin_array()
      .number(std::numeric_limits<std::int64_t>::min())
      .number(std::numeric_limits<std::uint64_t>::max())
      .number(0.1)
      .number(1e300)
      .end_array();
  EXPECT_EQ(out.text(), "[-9223372036854775808,18446744073709551615,0.1,1e+300]");
}

TEST(JsonWriter, WritesNullForWhatIsNotFinite) {
  Writer out;
  out.begin_array().number(std::nan("")).number(HUGE_VAL).number(-HUGE_VAL).end_array();
  EXPECT_EQ(out.text(), "[null,null,null]");
}

TEST(JsonWriter, WritesRawJsonAsItIs) {
  Writer out;
  out.begin_object().raw_field("a", R"({"x": 1})").field("b", 2).end_object();
  EXPECT_EQ(std::move(out).take(), R"({"a":{"x": 1},"b":2})");
}

TEST(JsonWriter, WritesWhatTheReaderReads) {
  constexpr std::string_view kText =
      R"({"null":null,"list":[true,false,[],{}],"number":-1.50e-7,"text":"\"\\\n\u0001é😀","":{"a":[[1]]}})";
  const Result<Value> value = read(kText);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(to_text(*value), kText);
}

}  // namespace
}  // namespace sluice::json
