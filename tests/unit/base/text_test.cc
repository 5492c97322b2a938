#include "sluice/base/text.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Text, ComparesAsciiOnlyIgnoringCase) {
  EXPECT_TRUE(equal_ignoring_case("Content-TYPE", "content-type"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
  EXPECT_FALSE(equal_ignoring_case("È", "è"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_EQ(to_lower_ascii("AZ[È"), "az[È");
}

TEST(Text, TrimsSpacesAndTabs) {
  EXPECT_EQ(trim_spaces(" \t a b\t "), "a b");
  EXPECT_EQ(trim_spaces(" \t "), "");
  EXPECT_EQ(trim_spaces(""), "");
  EXPECT_EQ(trim_spaces("a\n"), "a\n");
}

TEST(Utf8, TakesWellFormedText) {
  for (const char* text :
       {"", "a", "\x7f", "\xc2\x80", "è", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "日本",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a𝄞b"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
  EXPECT_TRUE(is_valid_utf8(std::string_view("a\0b", 3)));
}

TEST(Utf8, SeesABadByteWhereverItStands) {
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      std::string text(length, 'a');
      EXPECT_TRUE(is_valid_utf8(text));
      text[at] = '\xff';
      EXPECT_FALSE(is_valid_utf8(text)) << length << " " << at;
      text.replace(at, 1, "é");
      EXPECT_TRUE(is_valid_utf8(text)) << length << " " << at;
    }
  }
}

TEST(Utf8, RefusesIllFormedText) {
  for (const char* text : {"\x80",
                           "\xbf",
                           "\xc0\x80",
                           "\xc0\xaf",
                           "\xc1\xbf",
                           "\xc2",
                           "\xc2x",
                           "\xc2\xc2",
                           "\xe0\x80\x80",
                           "\xe0\x9f\xbf",
                           "\xe6\x97",
                           "\xe6\x97x",
                           "\xed\xa0\x80",
                           "\xed\xbf\xbf",
                           "\xf0\x80\x80\x80",
                           "\xf0\x8f\xbf\xbf",
                           "\xf0\x9d\x84",
                           "\xf4\x90\x80\x80",
                           "\xf5\x80\x80\x80",
                           "\xf8\x88\x80\x80\x80",
                           "\xfe",
                           "\xff",
                           "a\xff",
                           "\xff\x61"}) {
    EXPECT_FALSE(is_valid_utf8(text)) << text;
  }
}

TEST(Excerpt, KeepsShortText) {
  EXPECT_EQ(excerpt("plain text, è"), "plain text, è");
  EXPECT_EQ(excerpt(""), "");
  EXPECT_EQ(excerpt("12345", 5), "12345");
}

TEST(Excerpt, CutsBetweenCharacters) {
  EXPECT_EQ(excerpt("123456", 5), "12345…");
  EXPECT_EQ(excerpt("1234è", 5), "1234…");
  EXPECT_EQ(excerpt("日本", 4), "日…");
  EXPECT_EQ(excerpt("abc", 0), "…");
}

TEST(Excerpt, LetsNothingShapeTheMessage) {
  EXPECT_EQ(excerpt("a\r\nb\tc\x1b[31m\x7f"), "a  b c [31m ");
  EXPECT_EQ(excerpt(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(excerpt("a\xc2\x9b"
                    "b"),
            "a b");  // U+009B, the terminal's one-byte escape.
  EXPECT_EQ(excerpt("a\xe2\x80\xa8"
                    "b\xe2\x80\xae"
                    "c"),
            "a b c");  // A line separator; text turned right to left.
  EXPECT_EQ(excerpt("a\xe2\x80\x8b\xef\xbb\xbf\xe2\x81\xa6"), "a   ");
  EXPECT_EQ(excerpt("a\xff\xc3z"), "a??z");
}

TEST(Excerpt, IsAlwaysValidUtf8) {
  std::string all;
  for (int i = 0; i < 1024; ++i) all.push_back(static_cast<char>(i * 37 % 256));
  for (std::size_t bound = 0; bound < 300; ++bound) {
    const std::string cut = excerpt(all, bound);
    EXPECT_TRUE(is_valid_utf8(cut));
    EXPECT_LE(cut.size(), bound + std::string("…").size());
  }
}

TEST(NearestName, FindsASlip) {
  const std::vector<std::string> names = {"limit", "offset", "columns", "order_by", "the", "id"};
  EXPECT_EQ(nearest_name("limt", names), "limit");
  EXPECT_EQ(nearest_name("LIMIT", names), "limit");
  EXPECT_EQ(nearest_name("colums", names), "columns");
  EXPECT_EQ(nearest_name("orderby", names), "order_by");
  EXPECT_EQ(nearest_name("teh", names), "the");
  EXPECT_EQ(nearest_name("ids", names), "id");
}

TEST(NearestName, IsSilentWhereNothingIsNear) {
  const std::vector<std::string> names = {"limit", "ab", "x"};
  EXPECT_EQ(nearest_name("database", names), "");
  EXPECT_EQ(nearest_name("cd", names), "");
  EXPECT_EQ(nearest_name("y", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("limit", {}), "");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'a'), names), "");
}

TEST(EncodeControls, ShowsWhatWouldBeInvisible) {
  EXPECT_EQ(encode_controls("sales/2024 north è.csv"), "sales/2024 north è.csv");
  EXPECT_EQ(encode_controls("a\nb\x7f"), "a%0Ab%7F");
  EXPECT_EQ(encode_controls("a\u200bb\u202e"), "a%E2%80%8Bb%E2%80%AE");
  EXPECT_EQ(encode_controls("\U000E0041\u061c\u00ad"), "%F3%A0%81%81%D8%9C%C2%AD");
  EXPECT_EQ(encode_controls("100%"), "100%");
}

TEST(StripControls, LeavesWhatCanBeSeen) {
  EXPECT_EQ(strip_controls("Reads.\n\t- a list è"), "Reads.\n\t- a list è");
  EXPECT_EQ(strip_controls("a\x1b[2Jb\x7f\r"), "a[2Jb");
  EXPECT_EQ(strip_controls("a\u200bb\u202e\U000E0041c\u00ad"), "abc");
  EXPECT_EQ(strip_controls("a\xff\xc3"), "a??");
}

}  // namespace
}  // namespace sluice
