#include "sluice/expression/scan_filter.h"

#include <deque>

#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

// Tables `t` and `u`, with the columns year, name and v. Keeps the filters of each reading, in order.
class RecordingTables final : public SqlTables {
 public:
  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& filters) override {
    if (parts.back() != "t" && parts.back() != "u")
      return not_found("no table is called " + parts.back()).with_code("dataset_not_found");
    read.emplace_back(parts.back(), filters);
    tables_.push_back({.name = std::string(kTablePrefix) + std::to_string(tables_.size()),
                       .columns = {{"year", {.id = engine::TypeId::kInt64}},
                                   {"name", {.id = engine::TypeId::kText}},
                                   {"v", {.id = engine::TypeId::kInt64}}}});
    return &tables_.back();
  }

  std::vector<std::pair<std::string, ScanFilters>> read;

 private:
  std::deque<Table> tables_;
};

class ScanFilterTest : public ::testing::Test {
 protected:
  // Which of the years 2020 to 2022 each reading of `table` needs: "2020,2022;" for each.
  std::string years(std::string_view sql, std::string_view table = "t",
                    const SqlParameters& parameters = {}) {
    RecordingTables tables;
    const Result<Question> question = check_sql(*engine_, sql, tables, {}, {}, parameters);
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    std::string out;
    for (const auto& [name, filters] : tables.read) {
      if (name != table) continue;
      std::string kept;
      for (std::int64_t year = 2020; year <= 2022; ++year) {
        if (can_pass(filters, {{"year", year}, {"name", std::string(year == 2022 ? "b" : "a")}}))
          kept += (kept.empty() ? "" : ",") + std::to_string(year);
      }
      out += kept + ";";
    }
    return out;
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(ScanFilterTest, ComparisonsWithConstantsRestrictATable) {
  EXPECT_EQ(years("SELECT 1 FROM t"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = 2021"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE T.YEAR = 2021"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t AS x WHERE x.year <> 2021"), "2020,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE 2021 <= year"), "2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year BETWEEN 2021 AND 2030"), "2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year NOT BETWEEN 2021 AND 2030"), "2020;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year IN (2020, 2022, 7)"), "2020,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year NOT IN (2020, 2022)"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE name = 'b'"), "2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year IS NULL"), ";");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year IS NOT NULL AND year > 2021"), "2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = '2021'"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year IS NOT DISTINCT FROM 2021"), "2021;");
}

TEST_F(ScanFilterTest, FixedPointNumbersAreConstantsOfTheTypeThatHoldsAllOfThem) {
  const auto read = [&](const std::string& condition) {
    RecordingTables tables;
    const Result<Question> question =
        check_sql(*engine_, "SELECT 1 FROM t WHERE " + condition, tables, {}, {});
    EXPECT_TRUE(question.ok()) << condition;
    std::string out;
    const auto add = [&](const auto& self, const ScanCondition& one) -> void {
      for (const ScanValue& value : one.constants) {
        const auto* decimal = std::get_if<ScanDecimal>(&value);
        out += decimal == nullptr ? "-;"
                                  : decimal->text + ":" + std::to_string(decimal->digits) + "," +
                                        std::to_string(decimal->decimals) + ";";
      }
      for (const ScanCondition& operand : one.operands) self(self, operand);
    };
    for (const ScanFilter& filter : tables.read.front().second) add(add, filter.condition);
    return out;
  };
  EXPECT_EQ(read("v > 1.25"), "1.25:1,2;");
  EXPECT_EQ(read("v < -0.5"), "-0.5:1,1;");
  EXPECT_EQ(read("v IN (1.5, 22.25)"), "1.5:2,2;22.25:2,2;");
  EXPECT_EQ(read("v IN (1.5, 7)"), "1.5:10,1;7:10,1;");
  EXPECT_EQ(read("v IN (1.5, 8589934592)"), "1.5:19,1;8589934592:19,1;");
  EXPECT_EQ(read("v BETWEEN 1 AND 2.5"), "1:10,1;2.5:10,1;");
  EXPECT_EQ(read("v IN (1.5, NULL)"), "1.5:1,1;-;");
  // Another type than a fixed-point one holds these.
  EXPECT_EQ(read("v IN (1.5, 1e300)"), "");
  EXPECT_EQ(read("v IN (1.5, 'a')"), "");
  EXPECT_EQ(read("v IN (1, 0.1234567890123456)"), "");
}

TEST_F(ScanFilterTest, ParametersAreConstants) {
  EXPECT_EQ(
      years("SELECT 1 FROM t WHERE year = $y", "t", {{"y", {.type = SqlType::kInteger, .value = "2021"}}}),
      "2021;");
  EXPECT_EQ(
      years("SELECT 1 FROM t WHERE year > $y", "t", {{"y", {.type = SqlType::kNumber, .value = "2021.5"}}}),
      "2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE name = $y", "t", {{"y", {.type = SqlType::kText, .value = "b"}}}),
            "2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = $y", "t", {{"y", {.type = SqlType::kInteger, .value = {}}}}),
            ";");
}

TEST_F(ScanFilterTest, LogicIsThreeValued) {
  EXPECT_EQ(years("SELECT 1 FROM t WHERE NOT (year = 2021)"), "2020,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE NOT (year = 2021 AND v = 1)"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE NOT (year = 2021 OR v = 1)"), "2020,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = 2021 OR v = 1"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = 2021 OR name = 'b'"), "2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = 2021 AND v + 1 = 2"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = NULL"), ";");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE NOT (year = NULL)"), ";");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE NOT (year NOT IN (2021, NULL))"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year NOT IN (2021, NULL)"), ";");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = NULL OR year = 2020"), "2020;");
}

TEST_F(ScanFilterTest, WhatIsNotUnderstoodDoesNotRestrict) {
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year + 0 = 2021"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year > 2021.5"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year > '2021'"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = ' 2021'"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = 99999999999999999999"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE name COLLATE NOCASE = 'B'"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year IN (SELECT 2021)"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT year FROM t GROUP BY year HAVING year = 2021"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t AS x(name, year, v) WHERE year = '2021'"), "2020,2021,2022;");
}

TEST_F(ScanFilterTest, AColumnComesBeforeAnAliasOfTheSameName) {
  EXPECT_EQ(years("SELECT v AS year FROM t WHERE year = 2021"), "2021;");
}

TEST_F(ScanFilterTest, JoinsRestrictTheSidesWhoseRowsTheyCanDrop) {
  const std::string all = "2020,2021,2022;";
  const auto join = [&](std::string_view kind, std::string_view table) {
    return years(
        "SELECT 1 FROM t " + std::string(kind) + " u ON t.v = u.v AND t.year = 2020 AND u.year = 2021",
        table);
  };
  EXPECT_EQ(join("JOIN", "t") + join("JOIN", "u"), "2020;2021;");
  EXPECT_EQ(join("LEFT JOIN", "t") + join("LEFT JOIN", "u"), all + "2021;");
  EXPECT_EQ(join("RIGHT JOIN", "t") + join("RIGHT JOIN", "u"), "2020;" + all);
  EXPECT_EQ(join("FULL JOIN", "t") + join("FULL JOIN", "u"), all + all);
  EXPECT_EQ(join("SEMI JOIN", "t") + join("SEMI JOIN", "u"), "2020;2021;");
  EXPECT_EQ(join("ANTI JOIN", "t") + join("ANTI JOIN", "u"), all + "2021;");
}

TEST_F(ScanFilterTest, AConditionAboveAnOuterJoinRestrictsOnlyIfNullFailsIt) {
  const std::string from = "SELECT 1 FROM t LEFT JOIN u ON t.v = u.v WHERE ";
  EXPECT_EQ(years(from + "u.year = 2021", "u"), "2021;");
  EXPECT_EQ(years(from + "u.year = 2021 OR u.year IS NULL", "u"), "2020,2021,2022;");
  EXPECT_EQ(years(from + "u.year IS NULL", "u"), "2020,2021,2022;");
  EXPECT_EQ(years(from + "u.year IS DISTINCT FROM 2021", "u"), "2020,2021,2022;");
  EXPECT_EQ(years(from + "t.year = 2021", "t"), "2021;");
  EXPECT_EQ(years(from + "t.year = 2021", "u"), "2020,2021,2022;");
}

TEST_F(ScanFilterTest, TheNearestRowOfAnAsofJoinDependsOnAllRows) {
  const std::string sql = "SELECT 1 FROM t ASOF JOIN u ON t.v >= u.v WHERE u.year = 2021 AND t.year = 2020";
  EXPECT_EQ(years(sql, "u"), "2020,2021,2022;");
  EXPECT_EQ(years(sql, "t"), "2020;");
}

TEST_F(ScanFilterTest, EachReadingOfATableHasItsOwnFilters) {
  EXPECT_EQ(years("SELECT 1 FROM t a JOIN t b ON a.v = b.v WHERE a.year = 2020 AND b.year > 2020"),
            "2020;2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t WHERE year = 2020 UNION ALL SELECT 1 FROM t"), "2020;2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.year = 2021 AND a.year = 2020)"),
            "2020,2021,2022;2021;");
  EXPECT_EQ(years("SELECT 1 FROM u a WHERE a.v IN (SELECT v FROM t WHERE year = 2022)"), "2022;");
}

TEST_F(ScanFilterTest, ConditionsOnSubqueriesDoNotRestrictWhatIsInThem) {
  EXPECT_EQ(years("SELECT 1 FROM (SELECT v AS year FROM t) WHERE year = 2021"), "2020,2021,2022;");
  EXPECT_EQ(years("WITH w AS (SELECT * FROM t WHERE year = 2020) SELECT 1 FROM w WHERE year = 2021"),
            "2020;");
  EXPECT_EQ(years("WITH t AS (SELECT 2021 AS year) SELECT 1 FROM t WHERE year = 2021"), "");
}

TEST_F(ScanFilterTest, AMergedColumnIsThatOfTheFirstTable) {
  EXPECT_EQ(years("SELECT 1 FROM t JOIN u USING (year) WHERE year = 2021", "t"), "2021;");
  EXPECT_EQ(years("SELECT 1 FROM t LEFT JOIN u USING (year) WHERE year = 2021", "u"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t FULL JOIN u USING (year) WHERE year = 2021", "t"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t RIGHT JOIN u USING (year) WHERE year = 2021", "t"), "2020,2021,2022;");
  EXPECT_EQ(years("SELECT 1 FROM t NATURAL JOIN u WHERE year = 2021", "u"), "2020,2021,2022;");
}

TEST(ScanCondition, AnUnknownPartLeavesEveryTruthOpen) {
  const PossibleTruth truth = evaluate({}, {});
  EXPECT_TRUE(truth.can_be_true && truth.can_be_false && truth.can_be_null);
}

}  // namespace
}  // namespace sluice::expression
