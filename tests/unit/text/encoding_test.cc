#include "sluice/text/encoding.h"

#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "sluice/text/utf8_converter.h"

namespace sluice::text {
namespace {

using namespace std::string_literals;

TEST(DetectEncoding, TrustsAByteOrderMark) {
  EXPECT_EQ(detect_encoding("\xEF\xBB\xBFname"), (Encoding{"UTF-8", 1}));
  EXPECT_EQ(detect_encoding("\xFF\xFEn\0"s), (Encoding{"UTF-16LE", 1}));
  EXPECT_EQ(detect_encoding("\xFE\xFF\0n"s), (Encoding{"UTF-16BE", 1}));
}

TEST(DetectEncoding, KnowsValidUtf8) {
  EXPECT_EQ(detect_encoding("կրթություն"), (Encoding{"UTF-8", 1}));
  EXPECT_EQ(detect_encoding("plain"), (Encoding{"UTF-8", 1}));
  EXPECT_EQ(detect_encoding(""), (Encoding{"UTF-8", 1}));
  std::string cut(64 * 1024 - 1, 'a');  // The sample ends within a character.
  EXPECT_EQ(detect_encoding(cut + "կրթություն"), (Encoding{"UTF-8", 1}));
}

TEST(DetectEncoding, KnowsUtf16WithoutAMark) {
  EXPECT_EQ(detect_encoding("n\0a\0m\0e\0,\0v\0"s).charset, "UTF-16LE");
  EXPECT_EQ(detect_encoding("\0n\0a\0m\0e\0,\0v"s).charset, "UTF-16BE");
}

TEST(DetectEncoding, GuessesOneByteEncodings) {
  // "Министерство образования и науки Российской Федерации" and "L'éducation nationale à l'école des élèves".
  const std::string russian =
      "\xCC\xE8\xED\xE8\xF1\xF2\xE5\xF0\xF1\xF2\xE2\xEE \xEE\xE1\xF0\xE0\xE7\xEE\xE2\xE0\xED\xE8\xFF \xE8 "
      "\xED\xE0\xF3\xEA\xE8 \xD0\xEE\xF1\xF1\xE8\xE9\xF1\xEA\xEE\xE9 \xD4\xE5\xE4\xE5\xF0\xE0\xF6\xE8\xE8";
  EXPECT_EQ(detect_encoding(russian).charset, "windows-1251");
  EXPECT_GT(detect_encoding(russian).confidence, 0);
  EXPECT_LT(detect_encoding(russian).confidence, 1);
  const std::string french =
      "L'\xE9"
      "ducation nationale \xE0 l'\xE9"
      "cole des \xE9l\xE8ves et les ann\xE9"
      "es";
  EXPECT_EQ(to_utf8(french, detect_encoding(french).charset).value(),
            "L'éducation nationale à l'école des élèves et les années");
}

TEST(DetectEncoding, AlwaysNamesACharsetThatConverts) {
  for (const std::string& bytes :
       {"\x80\x81\xFF"s, "\0\0\0"s, "\xFF"s, "\xC3"s, std::string(100'000, '\xA5')}) {
    const Encoding guess = detect_encoding(bytes);
    EXPECT_TRUE(to_utf8(bytes, guess.charset).ok()) << guess.charset;
  }
}

TEST(ToUtf8, ConvertsAndDropsTheMark) {
  EXPECT_EQ(to_utf8("\xFF\xFE\x6F\x05\x20\0"s, "UTF-16LE").value(), "\u056F ");
  EXPECT_EQ(to_utf8("\xFE\xFF\x05\x6F"s, "UTF-16BE").value(), "\u056F");
  EXPECT_EQ(to_utf8("\xFF\xFE\x6F\x05"s, "UTF-16").value(), "\u056F");
  EXPECT_EQ(to_utf8("\xEF\xBB\xBFname", "utf-8").value(), "name");
  EXPECT_EQ(to_utf8("\xEE\xE4", "windows-1251").value(), "од");
  EXPECT_EQ(to_utf8("caf\xE9", "ISO-8859-1").value(), "café");
  EXPECT_EQ(to_utf8("", "UTF-8").value(), "");
}

TEST(ToUtf8, ReplacesWhatHasNoMeaning) {
  EXPECT_EQ(to_utf8("a\xFFz", "UTF-8").value(), "a\uFFFDz");
  EXPECT_EQ(to_utf8("\x41\x00\x00\xD8"s, "UTF-16LE").value(), "A\uFFFD");  // A lone surrogate.
  EXPECT_EQ(to_utf8("\x41\x00\x42"s, "UTF-16LE").value(), "A\uFFFD");      // Half a character.
}

TEST(ToUtf8, ConvertsMoreThanItsBuffers) {
  const std::string cyrillic(1'000'000, '\xEE');
  const std::string converted = to_utf8(cyrillic, "windows-1251").value();
  EXPECT_EQ(converted.size(), 2'000'000U);
  EXPECT_TRUE(converted.ends_with("оо"));
}

TEST(ToUtf8, RefusesNamesThatNobodyKnows) {
  for (const std::string& name :
       {""s, "klingon"s, "UTF-8,version=1"s, "UTF-8\0x"s, std::string(10'000, 'u')}) {
    const Result<std::string> result = to_utf8("x", name);
    ASSERT_FALSE(result.ok()) << name;
    EXPECT_EQ(result.error().code, "unknown_charset");
    EXPECT_EQ(result.error().kind, ErrorKind::kInvalidInput);
  }
}

TEST(Utf8Converter, PutsCharactersTogetherThatComeInPieces) {
  using Piece = Utf8Converter::Piece;
  const std::string sjis = "\x93\x8c\x8b\x9e-\x93\x73";
  const std::string utf16 = "\xFF\xFE\x3D\xD8\x00\xDEn\0"s;
  for (const auto& [charset, bytes, text] :
       {std::tuple("Shift_JIS", sjis, "東京-都"), std::tuple("UTF-16LE", utf16, "😀n"),
        std::tuple("UTF-8", "\xEF\xBB\xBF\xD4\xB5"s, "Ե")}) {
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
      Utf8Converter converter = Utf8Converter::open(charset).value();
      std::string out;
      converter.convert(std::string_view(bytes).substr(0, cut), Piece::kMore, out);
      converter.convert(std::string_view(bytes).substr(cut), Piece::kLast, out);
      EXPECT_EQ(out, text) << charset << " cut at " << cut;
    }
  }
}

TEST(Utf8Converter, KnowsArmscii) {
  EXPECT_EQ(to_utf8("\xb2\xb3\xfc\xfd\xa3 \xa2\xa7x\xa6\xff", "ARMSCII-8").value(), "ԱաՖֆ։ և«x»\xEF\xBF\xBD");
}

}  // namespace
}  // namespace sluice::text
