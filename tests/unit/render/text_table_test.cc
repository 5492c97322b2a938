#include "sluice/render/text_table.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/text/display.h"

namespace sluice::render {
namespace {

struct Printed {
  std::string text;
  bool has_more_columns = false;
  std::uint64_t rows = 0;
};

Printed print(const std::string& sql, const TextTableOptions& options = {}) {
  const std::unique_ptr<engine::Engine> engine = std::move(engine::open_duckdb({})).value();
  auto rows = engine->query({.sql = sql}, {});
  EXPECT_TRUE(rows.ok());
  TextTable table((*rows)->columns(), options);
  while (true) {
    const auto batch = (*rows)->next();
    EXPECT_TRUE(batch.ok());
    if (*batch == nullptr || table.append(**batch) < (*batch)->rows) break;
  }
  const TextTable::Layout layout = table.lay_out();
  Printed out{
      .text = table.header(layout), .has_more_columns = layout.has_more_columns, .rows = table.rows()};
  for (std::uint64_t row = 0; row < table.rows(); ++row) out.text += table.row(layout, row);
  return out;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    widest = std::max(widest, text::display_width(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return widest;
}

TEST(TextTable, AlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(print("SELECT * FROM (VALUES ('Oslo', 7, 1.5), ('Bergen', 1200, 12.25)) t(city, n, size)").text,
            "city   |    n |  size\n"
            "-------+------+------\n"
            "Oslo   |    7 |  1.50\n"
            "Bergen | 1200 | 12.25\n");
}

TEST(TextTable, ShowsANullOtherThanAnEmptyText) {
  EXPECT_EQ(print("SELECT * FROM (VALUES (NULL, 'a', NULL), ('', 'b', 3)) t(x, y, z)").text,
            "x    | y |    z\n"
            "-----+---+-----\n"
            "NULL | a | NULL\n"
            "     | b |    3\n");
}

TEST(TextTable, ShowsAHeaderIfThereAreNoRows) {
  EXPECT_EQ(print("SELECT 1 AS a, 'x' AS bb LIMIT 0").text, "a | bb\n--+---\n");
}

TEST(TextTable, RoundsFloatingPointToWhatItMeans) {
  EXPECT_THAT(print("SELECT 0.1::DOUBLE + 0.2::DOUBLE AS x").text, testing::HasSubstr("0.3\n"));
}

TEST(TextTable, AlignsByColumnsOfTheTerminal) {
  EXPECT_EQ(print("SELECT * FROM (VALUES ('日本', 1), ('e\u0301te\u0301', 2), ('abcd', 3)) t(a, b)").text,
            "a    | b\n"
            "-----+--\n"
            "日本 | 1\n"
            "e\u0301te\u0301  | 2\n"
            "abcd | 3\n");
}

TEST(TextTable, LetsNoCellActOnTheTerminal) {
  const std::string text =
      print("SELECT chr(27) || '[2Jgone' AS a, 'x' || chr(10) || 'y' AS b, chr(155) || '1m' AS \"c\x1b[31m\"")
          .text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\u009b"), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, testing::HasSubstr("\\u001b[2Jgone | x\\ny | \\u009b1m"));
}

TEST(TextTable, CutsTheWidestTextToTheWidthOfTheTerminal) {
  const Printed printed =
      print("SELECT 'short' AS a, repeat('日本', 50) AS b, 1234567890 AS c", {.width_max = 39});
  EXPECT_EQ(printed.text,
            "a     | b                  |          c\n"
            "------+--------------------+-----------\n"
            "short | 日本日本日本日本…  | 1234567890\n");
  EXPECT_LE(widest_line(printed.text), 39U);
  EXPECT_FALSE(printed.has_more_columns);
}

TEST(TextTable, CutsNumbersOnlyIfTextCannotGiveWay) {
  const Printed printed = print("SELECT 'abcdefgh' AS a, 123456789012 AS b", {.width_max = 16});
  EXPECT_LE(widest_line(printed.text), 16U);
  EXPECT_THAT(printed.text, testing::HasSubstr("…\n"));
}

TEST(TextTable, LeavesOutTheLastColumnsIfTheyDoNotFit) {
  const Printed printed =
      print("SELECT 'abcdefgh' AS a, 'abcdefgh' AS b, 'abcdefgh' AS c, 'abcdefgh' AS d", {.width_max = 20});
  EXPECT_EQ(printed.text,
            "a     | b     | …\n"
            "------+-------+--\n"
            "abcd… | abcd… | …\n");
  EXPECT_TRUE(printed.has_more_columns);
}

TEST(TextTable, ShowsOneColumnOnTheNarrowestTerminal) {
  EXPECT_THAT(print("SELECT 'abcdefgh' AS a, 2 AS b", {.width_max = 2}).text,
              testing::HasSubstr("abcd… | …"));
}

TEST(TextTable, CutsNothingWithoutATerminal) {
  const std::string long_text(5'000, 'x');
  const std::string text = print("SELECT repeat('x', 5000) AS a, 1 AS b UNION ALL SELECT 'y', 2").text;
  EXPECT_THAT(text, testing::HasSubstr(long_text + " | 1\n"));
  EXPECT_LT(text.size(), 10'000U) << "other rows are not padded to the length of one cell";
}

TEST(TextTable, TakesRowsUpToItsBounds) {
  EXPECT_EQ(print("SELECT * FROM range(5000)", {.rows_max = 3'000}).rows, 3'000U);
  EXPECT_LT(print("SELECT repeat('x', 1000) FROM range(1000)", {.bytes_max = 100'000}).rows, 100U);
}

}  // namespace
}  // namespace sluice::render
