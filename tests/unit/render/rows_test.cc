#include "sluice/render/rows.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/json/reader.h"

namespace sluice::render {
namespace {

// A query's rows, written by `Writer` up to what it takes.
template <typename Writer, typename Options>
std::string written(const std::string& sql, const Options& options, std::optional<Cap>* hit = nullptr) {
  const std::unique_ptr<engine::Engine> engine = std::move(engine::open_duckdb({})).value();
  auto rows = engine->query({.sql = sql}, {});
  EXPECT_TRUE(rows.ok());
  Writer out((*rows)->columns(), options);
  while (true) {
    const auto batch = (*rows)->next();
    EXPECT_TRUE(batch.ok());
    if (*batch == nullptr || out.append(**batch) < (*batch)->rows) break;
  }
  if (hit != nullptr) *hit = out.meter().hit();
  return std::move(out).take();
}

constexpr Budget kAmple{.rows = 1'000'000, .cells = 10'000'000, .bytes = 100'000'000, .tokens = 25'000'000};

TEST(JsonRows, AreRecords) {
  EXPECT_EQ(
      written<JsonRows>("SELECT i, 'a\"' AS \"na\"\"me\" FROM range(2) t(i)", JsonOptions{.budget = kAmple}),
      R"([{"i":0,"na\"me":"a\""},{"i":1,"na\"me":"a\""}])");
}

TEST(JsonRows, AreArraysWhereColumnsAreAskedFor) {
  const JsonOptions options{.shape = Shape::kColumns, .budget = kAmple};
  EXPECT_EQ(written<JsonRows>("SELECT i, 'x' AS s FROM range(2) t(i)", options), R"([[0,"x"],[1,"x"]])");
}

TEST(JsonRows, CanBeDrainedAsTheyAreWritten) {
  const std::unique_ptr<engine::Engine> engine = std::move(engine::open_duckdb({})).value();
  auto rows = engine->query({.sql = "SELECT i FROM range(5000) t(i)"}, {});
  ASSERT_TRUE(rows.ok());
  JsonRows out((*rows)->columns(),
               {.budget = {.rows = 3'000, .cells = 10'000, .bytes = 100'000, .tokens = 25'000}});
  std::string text;
  while (true) {
    const auto batch = (*rows)->next();
    ASSERT_TRUE(batch.ok());
    if (*batch == nullptr || out.append(**batch) < (*batch)->rows) break;
    text += out.drain();
    EXPECT_EQ(out.pending_bytes(), 0U);
  }
  const std::size_t bytes = out.bytes();
  text += std::move(out).take();
  EXPECT_EQ(text.size(), bytes);
  const auto parsed = json::read(text);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->if_array()->size(), 3'000U);
}

TEST(JsonRows, StopExactlyAtEachCap) {
  struct CapCase {
    Budget budget;
    Cap cap;
    std::size_t rows;
  };
  for (const CapCase& one : {
           CapCase{{.rows = 3, .cells = 100, .bytes = 10'000, .tokens = 10'000}, Cap::kRows, 3},
           CapCase{{.rows = 100, .cells = 9, .bytes = 10'000, .tokens = 10'000}, Cap::kCells, 4},
           // "[" {"a":0,"b":"xyz"} and its comma are 18 bytes a row, 17 the first, and "]" closes.
           CapCase{{.rows = 100, .cells = 100, .bytes = 54, .tokens = 10'000}, Cap::kBytes, 2},
           CapCase{{.rows = 100, .cells = 100, .bytes = 10'000, .tokens = 18}, Cap::kTokens, 3},
       }) {
    std::optional<Cap> hit;
    const std::string text = written<JsonRows>("SELECT i AS a, 'xyz' AS b FROM range(10) t(i)",
                                               JsonOptions{.budget = one.budget}, &hit);
    const auto parsed = json::read(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(parsed->if_array()->size(), one.rows) << text;
    EXPECT_EQ(hit, one.cap);
    EXPECT_LE(text.size(), one.budget.bytes);
    EXPECT_LE(tokens_of(text.size()), one.budget.tokens);
  }
}

TEST(JsonRows, DoNotReportACapThatTheLastRowJustMeets) {
  std::optional<Cap> hit;
  written<JsonRows>("SELECT i FROM range(3) t(i)", JsonOptions{.budget = {.rows = 3}}, &hit);
  EXPECT_FALSE(hit.has_value());
}

TEST(JsonRows, CutLongTextBetweenCharacters) {
  const JsonOptions options{.budget = kAmple, .cell_bytes_max = 5};
  EXPECT_EQ(written<JsonRows>("SELECT 'կրթություն' AS s", options), "[{\"s\":\"կր…\"}]");
}

TEST(JsonRows, AreLinesWithoutBrackets) {
  const JsonOptions options{.shape = Shape::kLines, .budget = kAmple};
  EXPECT_EQ(written<JsonRows>("SELECT i, 'a\nb' AS s FROM range(2) t(i)", options),
            "{\"i\":0,\"s\":\"a\\nb\"}\n{\"i\":1,\"s\":\"a\\nb\"}\n");
  EXPECT_EQ(written<JsonRows>("SELECT 1 AS i LIMIT 0", options), "");
}

TEST(JsonRows, OfNoRowsIsAnEmptyArray) {
  EXPECT_EQ(written<JsonRows>("SELECT 1 AS a WHERE false", JsonOptions{.budget = kAmple}), "[]");
}

TEST(CsvRows, QuoteWhatNeedsIt) {
  EXPECT_EQ(
      written<CsvRows>("SELECT * FROM (VALUES (1, 'plain'), (NULL, 'a,\"b\"\nc'), (3, '')) t(n, \"x,y\")",
                       CsvOptions{.budget = kAmple}),
      "n,\"x,y\"\n1,plain\n,\"a,\"\"b\"\"\nc\"\n3,\"\"\n");
}

TEST(CsvRows, StopAtTheCap) {
  std::optional<Cap> hit;
  EXPECT_EQ(written<CsvRows>("SELECT i FROM range(10) t(i)", CsvOptions{.budget = {.rows = 2}}, &hit),
            "i\n0\n1\n");
  EXPECT_EQ(hit, Cap::kRows);
}

TEST(CsvRows, CountTheEscapesOfTheStringTheyWillBe) {
  // A row is `"say ""hi"""` and a line feed: 13 bytes, of which a JSON string escapes seven.
  const std::string sql = "SELECT 'say \"hi\"' AS t FROM range(10)";
  std::optional<Cap> hit;
  EXPECT_EQ(written<CsvRows>(sql, CsvOptions{.budget = {.bytes = 42}}, &hit),
            "t\n\"say \"\"hi\"\"\"\n\"say \"\"hi\"\"\"\n\"say \"\"hi\"\"\"\n");
  EXPECT_EQ(written<CsvRows>(sql, CsvOptions{.budget = {.bytes = 42}, .is_in_json = true}, &hit),
            "t\n\"say \"\"hi\"\"\"\n");
  EXPECT_EQ(hit, Cap::kBytes);
}

}  // namespace
}  // namespace sluice::render
