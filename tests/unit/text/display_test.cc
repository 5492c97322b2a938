#include "sluice/text/display.h"

#include <string>

#include <gmock/gmock.h>

namespace sluice::text {
namespace {

TEST(DisplayWidth, CountsColumnsOfTheTerminalNotBytes) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("Երևան"), 5U);
  EXPECT_EQ(display_width("日本"), 4U);
  EXPECT_EQ(display_width("ＡＢ"), 4U);  // Full-width letters.
  EXPECT_EQ(display_width("한국"), 4U);
  EXPECT_EQ(display_width("🙂"), 2U);
}

TEST(DisplayWidth, GivesCombiningCharactersNoColumn) {
  EXPECT_EQ(display_width("e\u0301"), 1U);
  EXPECT_EQ(display_width("a\u0300\u0323\u20DD"), 1U);
  EXPECT_EQ(display_width("\u1112\u1161\u11ab"), 2U);  // One syllable of Hangul, letter by letter.
  EXPECT_EQ(display_width("ক\u200Dষ"), 2U);
}

TEST(CutToWidth, KeepsTheMarksOfTheLastCharacterAndHalvesNoWideOne) {
  EXPECT_EQ(cut_to_width("abc", 5), "abc");
  EXPECT_EQ(cut_to_width("abc", 2), "ab");
  EXPECT_EQ(cut_to_width("e\u0301e\u0301", 1), "e\u0301");
  EXPECT_EQ(cut_to_width("日本語", 5), "日本");
  EXPECT_EQ(cut_to_width("日本語", 0), "");
}

TEST(MakeVisible, EscapesWhatActsOnATerminal) {
  EXPECT_EQ(make_visible("\x1b[2J\x1b]0;title\x07", LineBreaks::kEscape), "\\u001b[2J\\u001b]0;title\\u0007");
  EXPECT_EQ(make_visible("a\nb\tc\rd", LineBreaks::kEscape), "a\\nb\\tc\\rd");
  EXPECT_EQ(make_visible("a\nb\tc\rd", LineBreaks::kKeep), "a\nb\tc\\rd");
  EXPECT_EQ(make_visible("\x7f\u009b31m", LineBreaks::kKeep), "\\u007f\\u009b31m");
  EXPECT_EQ(make_visible(std::string("a\0b", 3), LineBreaks::kEscape), "a\\u0000b");
}

TEST(MakeVisible, EscapesWhatCannotBeSeenOrTurnsTheDirection) {
  EXPECT_EQ(make_visible("a\u202Eb\u2066c", LineBreaks::kEscape), "a\\u202eb\\u2066c");
  EXPECT_EQ(make_visible("a\u200Bb\uFEFFc\u00ADd", LineBreaks::kEscape), "a\\u200bb\\ufeffc\\u00add");
  EXPECT_EQ(make_visible("\u2028\u2029", LineBreaks::kKeep), "\\u2028\\u2029");
  EXPECT_EQ(make_visible("\U000E0041", LineBreaks::kEscape), "\\udb40\\udc41");
}

TEST(MakeVisible, LeavesTextAsItIs) {
  const std::string text = "Գին: 5 € 日本 e\u0301 👩\u200D🚀 می\u200Cخواهم";
  EXPECT_EQ(make_visible(text, LineBreaks::kEscape), text);
}

TEST(MakeVisible, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(make_visible("a\xff\xc2", LineBreaks::kEscape), "a\uFFFD\uFFFD");
  EXPECT_EQ(make_visible("\xed\xa0\x80", LineBreaks::kEscape), "\uFFFD\uFFFD\uFFFD");
}

}  // namespace
}  // namespace sluice::text
