#include "sluice/plot/label.h"

#include <random>

#include <gmock/gmock.h>

#include "sluice/base/text.h"
#include "sluice/plot/draw.h"

namespace sluice::plot {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PlotLabel, HasNoControlsAndNoDirections) {
  EXPECT_EQ(label_of("a\x01\x1b[31m\tb\r\n\nc"), "a[31m b c");
  EXPECT_EQ(label_of("\u202egnihton\u202c\u2066x\u2069"), "gnihtonx");
  EXPECT_EQ(label_of("\u200b\ufeff"), "(empty)");
  EXPECT_EQ(label_of("  in  the\u00a0middle "), "in the middle");
  EXPECT_EQ(label_of("👩\u200d👧"), "👩\u200d👧");  // The joiner belongs to the picture.
  EXPECT_EQ(label_of("می\u200cخواهم"), "می\u200cخواهم");
}

TEST(PlotLabel, IsShortAndUtf8WhateverTheBytes) {
  const std::string label = label_of(std::string(10'240, 'x'));
  EXPECT_EQ(label, std::string(kLabelCharactersMax, 'x') + "…");
  std::mt19937 random(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes(random() % 24, ' ');
    for (char& byte : bytes)
      byte = static_cast<char>(random() % 4 == 0 ? random() % 128 : 128 + random() % 128);
    EXPECT_TRUE(is_valid_utf8(label_of(bytes)));
  }
}

Chart chart_with(const std::string& label) {
  Chart out;
  out.title = label;
  out.x = {.name = label, .type = AxisType::kCategory, .categories = {label, label}};
  out.y.name = label;
  out.series = {label, label};
  out.marks = {{.x = 0, .y = 1}, {.x = 1, .y = 2, .series = 1}};
  return out;
}

TEST(PlotSvg, HasNoMarkupFromData) {
  for (const char* text :
       {"</text><script>alert(1)</script>", "\"/><a href=\"javascript:x\"/>", "<!--", "]]>", "<![CDATA[x]]>",
        "&#x3c;script&#x3e;", "<?xml version=\"1.0\"?>", "<!ENTITY x>"}) {
    const std::string svg = to_svg(draw(chart_with(text)));
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("<a ")));
    EXPECT_THAT(svg, Not(HasSubstr("<!")));
    EXPECT_THAT(svg, Not(HasSubstr("<?")));
    EXPECT_THAT(svg, Not(HasSubstr("]]>")));
  }
}

TEST(PlotPng, CountsCharactersWithoutAFont) {
  const Result<Png> known = to_png(draw(chart_with("Բարեւ")), 1);
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(known->unknown_characters, 0U);
  // A private character has no glyph in any font of text.
  EXPECT_GT(to_png(draw(chart_with("\U0010fffd")), 1)->unknown_characters, 0U);
}

// The width and height that a PNG says it has.
std::pair<int, int> png_size(const std::string& png) {
  const auto number = [&](std::size_t at) {
    int out = 0;
    for (std::size_t i = at; i < at + 4; ++i) out = out * 256 + static_cast<unsigned char>(png[i]);
    return out;
  };
  return {number(16), number(20)};
}

TEST(PlotPng, HasTheSizeOfTheChartTimesTheScale) {
  Chart chart = chart_with("a");
  chart.width = 400;
  chart.height = 300;
  EXPECT_EQ(png_size(to_png(draw(chart), 1)->bytes), std::pair(400, 300));
  EXPECT_EQ(png_size(to_png(draw(chart), 0.5)->bytes), std::pair(200, 150));
}

TEST(PlotPng, IsDrawnByThreadsSideBySide) {
  const std::string alone = to_png(draw(chart_with("threads")), 1)->bytes;
  std::vector<std::string> pictures(4);
  std::vector<std::thread> threads;
  threads.reserve(pictures.size());
  for (std::string& picture : pictures) {
    threads.emplace_back([&picture] { picture = to_png(draw(chart_with("threads")), 1)->bytes; });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& picture : pictures) EXPECT_EQ(picture, alone);
}

}  // namespace
}  // namespace sluice::plot
