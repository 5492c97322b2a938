#include "sluice/expression/sql.h"

#include "sluice/expression/named_columns.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Sql : public ::testing::Test {
 protected:
  Result<Question> check(std::string_view sql) { return check_sql(*engine_, sql, sales_columns(), {}, {}); }

  std::vector<std::string> rows(std::string_view sql) {
    const Result<Question> question = check(sql);
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    if (!question.ok()) return {};
    const auto found = answer(*engine_, *question);
    EXPECT_TRUE(found.ok()) << question->sql << ": " << (found.ok() ? "" : found.error().message);
    return found.ok() ? *found : std::vector<std::string>();
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(Sql, AnswersOneSelectOverData) {
  EXPECT_THAT(rows("SELECT product, units FROM data WHERE units > 5 ORDER BY units DESC, product"),
              ElementsAre("apple|10", "fig|10", "pear|7"));
}

// Whatever of these runs must give what the engine gives for the same text, in the same order.
// NOLINTBEGIN(bugprone-suspicious-missing-comma): long statements stand on two lines.
TEST_F(Sql, GivesWhatTheTextAsksFor) {
  for (const std::string& sql : std::vector<std::string>{
           "SELECT * FROM data ORDER BY day NULLS FIRST, product",
           "FROM data SELECT product ORDER BY ALL",
           "SELECT region, count(*), sum(units), avg(price) FROM data GROUP BY region ORDER BY region",
           "SELECT region, count(*) AS n FROM data GROUP BY ALL HAVING n > 1 ORDER BY n DESC, region;",
           "SELECT DISTINCT region FROM data ORDER BY 1",
           "SELECT DISTINCT ON (region) region, product FROM data ORDER BY region, price DESC",
           "WITH x AS (SELECT * FROM data WHERE units > 0), y(k) AS (SELECT product FROM x) SELECT k FROM y",
           "WITH x AS (SELECT product FROM data) SELECT * FROM x ORDER BY 1 DESC LIMIT 3 OFFSET 1",
           "SELECT a.product, b.product FROM data a JOIN data b ON a.region = b.region AND a.units < b.units "
           "ORDER "
           "BY 1, 2",
           "SELECT * FROM data a LEFT JOIN (SELECT region, max(units) AS top FROM data GROUP BY region) b "
           "USING "
           "(region) ORDER BY product, units",
           "SELECT product, (SELECT max(units) FROM data) - units AS gap FROM data ORDER BY gap, product",
           "SELECT product FROM data WHERE price > (SELECT median(price) FROM data) ORDER BY product",
           "SELECT product FROM data d WHERE EXISTS (SELECT 1 FROM data e WHERE e.region = d.region AND "
           "e.units > "
           "d.units) ORDER BY 1",
           "SELECT product FROM data WHERE region IN ('north', 'east') AND region NOT IN (SELECT 'east') "
           "ORDER BY 1",
           "SELECT region FROM data UNION SELECT product FROM data ORDER BY 1",
           "SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT 3 EXCEPT SELECT 2 ORDER BY a",
           "(SELECT region FROM data ORDER BY region LIMIT 1) UNION ALL (SELECT 'z') ORDER BY 1",
           "SELECT product, row_number() OVER (PARTITION BY region ORDER BY units DESC NULLS LAST) AS n FROM "
           "data "
           "QUALIFY n = 1 ORDER BY product",
           "SELECT product, sum(units) OVER (ORDER BY day NULLS LAST, product ROWS BETWEEN 1 PRECEDING AND "
           "CURRENT "
           "ROW) FROM data ORDER BY day NULLS LAST, product",
           "SELECT product, lag(units, 1, 0) OVER (ORDER BY product, units) FROM data ORDER BY product, "
           "units",
           "SELECT first_value(product IGNORE NULLS) OVER (ORDER BY product, units) FROM data ORDER BY "
           "product",
           "SELECT CASE WHEN units > 5 THEN 'many' WHEN units IS NULL THEN 'unknown' ELSE 'few' END AS size, "
           "count(*) FILTER (WHERE price > 1) FROM data GROUP BY 1 ORDER BY 1",
           "SELECT region || ': ' || product AS name, upper(product), replace(product, 'p', 'PP') FROM data "
           "ORDER BY "
           "product, region",
           "SELECT concat_ws(', ', region, product), regexp_replace(product, '[aeiou]', '_', 'g') FROM data "
           "ORDER BY "
           "product, units",
           "SELECT date_trunc('month', day) AS m, strftime(day, '%Y-%m'), extract(year FROM day), day + "
           "INTERVAL 3 "
           "DAY FROM data ORDER BY day, product",
           "SELECT CAST(units AS VARCHAR), TRY_CAST(code AS INTEGER), price::DECIMAL(10, 2) FROM data ORDER "
           "BY "
           "product, units",
           "SELECT region, product, sum(units) FROM data GROUP BY ROLLUP (region, product) ORDER BY 1, 2, 3",
           "SELECT grouping(region), region, sum(units) FROM data GROUP BY GROUPING SETS ((region), ()) "
           "ORDER BY 1, 2",
           "SELECT product FROM data WHERE product ILIKE '%APPLE%' ORDER BY product COLLATE NOCASE, product",
           "SELECT product FROM data WHERE product LIKE '%a%p%e%' OR product LIKE 'f_g' ORDER BY 1",
           "SELECT product FROM data WHERE NOT (units BETWEEN 0 AND 5 OR region IS NULL) ORDER BY 1",
           "SELECT * EXCLUDE (day) REPLACE (units * 2 AS units) FROM data ORDER BY product, units",
           "SELECT v.n, d.product FROM (VALUES (1, 'north'), (2, 'east')) AS v(n, region) JOIN data d ON "
           "v.region = "
           "d.region ORDER BY 1, 2",
           "SELECT arg_max(product, price), quantile_cont(price, 0.25), count(DISTINCT region), "
           "stddev(units) FROM "
           "data",
           "SELECT units * 2 AS twice, twice + 1 AS more FROM data WHERE twice > 3 ORDER BY more",
           "SELECT -units, units % 3, units / 4, units // 4, 2 ** 3, round(price, 1), coalesce(units, 0) "
           "FROM data "
           "ORDER BY product, units",
           "SELECT 'it''s', 'naïve ⚡', 1e300, 99999999999999999999, -0.5, TRUE, NULL",
           "SELECT region, count(*) AS data FROM data GROUP BY region ORDER BY data DESC, region",
           "SELECT 1e0 / 3, 25e-1 AS x, -1e0, round(1.5e0 * units, 0), typeof(2e0) FROM data ORDER BY units",
           "SELECT product FROM data WHERE price * 1e0 > 2e0 GROUP BY ALL HAVING sum(units) > 1e0 ORDER BY 1",
           "SELECT \"product\" AS \"a \"\"b\"\"\" FROM data /* what */ ORDER BY 1 -- why",
       }) {
    const auto expected =
        rows_of(*engine_, {.sql = "WITH data AS (" + kSales + ") SELECT * FROM (" +
                                  (sql.ends_with(';') ? sql.substr(0, sql.size() - 1) : sql) + "\n)"});
    ASSERT_TRUE(expected.ok()) << sql << ": " << expected.error().message;
    const Result<Question> question = check(sql);
    if (!question.ok()) {
      ADD_FAILURE() << sql << ": " << question.error().message << " " << question.error().hint;
      continue;
    }
    const auto found = answer(*engine_, *question);
    ASSERT_TRUE(found.ok()) << question->sql << ": " << found.error().message;
    EXPECT_EQ(*found, *expected) << sql << "\n" << question->sql;
  }
}
// NOLINTEND(bugprone-suspicious-missing-comma)

// `statement_stacking`, `disguised_write`: the text is gone once it is checked, with everything a parser
// might read in two ways.
TEST_F(Sql, RunsWhatWasCheckedAndNotTheText) {
  const auto question = check("select /* ; DROP TABLE data */ PRODUCT -- x\n from DATA");
  ASSERT_TRUE(question.ok()) << question.error().message;
  EXPECT_THAT(question->sql, ::testing::Not(HasSubstr("DROP")));
  EXPECT_THAT(question->parameters, IsEmpty());
}

TEST_F(Sql, KeepsTheOrderOfAStatementThatBeginsWithWith) {
  const auto question =
      check("WITH x AS (SELECT i FROM data) SELECT i FROM x ORDER BY (i * 7919) % 10007, i");
  ASSERT_FALSE(question.ok());
  const Columns columns = {{"i", {.id = engine::TypeId::kInt64}}};
  const auto many =
      check_sql(*engine_, "WITH x AS (SELECT i FROM data) SELECT i FROM x ORDER BY (i * 7919) % 10007, i",
                columns, {}, {});
  ASSERT_TRUE(many.ok()) << many.error().message;
  const std::string relation = "SELECT range AS i FROM range(300000)";
  const auto found = answer(*engine_, *many, relation);
  const auto expected =
      rows_of(*engine_, {.sql = "SELECT range AS i FROM range(300000) ORDER BY (i * 7919) % 10007, i"});
  ASSERT_TRUE(found.ok() && expected.ok());
  EXPECT_EQ(*found, *expected);
}

// The name of a table alone is its row, unless the table has a column of that name.
TEST_F(Sql, TakesAColumnThatIsCalledAsItsTable) {
  const Columns columns = {{"data", {.id = engine::TypeId::kText}}, {"n", {.id = engine::TypeId::kInt64}}};
  const std::string relation = "SELECT * FROM (VALUES ('a', 1::BIGINT), ('b', 2), ('b', 3)) t(data, n)";
  const auto rows = [&](std::string_view sql) -> std::vector<std::string> {
    const Result<Question> question = check_sql(*engine_, sql, columns, {}, {});
    if (!question.ok()) return {question.error().code};
    const auto found = answer(*engine_, *question, relation);
    return found.ok() ? *found : std::vector<std::string>{found.error().message};
  };
  EXPECT_THAT(rows("SELECT data, sum(n) FROM data GROUP BY data ORDER BY data"), ElementsAre("a|1", "b|5"));
  EXPECT_THAT(rows("SELECT n FROM data WHERE Data = 'a' ORDER BY DATA"), ElementsAre("1"));
  EXPECT_THAT(rows("SELECT max(data) FROM data x WHERE n > (SELECT min(n) FROM data WHERE data = 'b')"),
              ElementsAre("b"));
  EXPECT_THAT(rows("SELECT n FROM data n WHERE n.n = 1 AND n = 1"), ElementsAre("1"));
  // These are rows, or may be.
  for (const char* sql :
       {"SELECT CAST(x AS VARCHAR) FROM data x", "SELECT data FROM data AS data(a, b)",
        "SELECT CAST(data AS VARCHAR) FROM (SELECT n FROM data) data",
        "SELECT CAST(data AS VARCHAR) FROM (SELECT n FROM data) data SEMI JOIN data d ON data.n = d.n",
        "SELECT data FROM data, (SELECT 1 AS a) data"}) {
    EXPECT_THAT(rows(sql), ElementsAre("invalid_sql")) << sql;
  }
}

TEST_F(Sql, KnowsHowManyRowsThereCanBe) {
  EXPECT_EQ(check("SELECT * FROM data LIMIT 5")->rows_max, 5U);
  EXPECT_EQ(check("SELECT count(*), max(units) FROM data")->rows_max, 1U);
  EXPECT_EQ(check("SELECT * FROM data LIMIT 10 OFFSET 3")->rows_max, 10U);
  EXPECT_EQ(check("SELECT * FROM data")->rows_max, std::nullopt);
  EXPECT_EQ(check("SELECT * FROM data LIMIT 10%")->rows_max, std::nullopt);
  EXPECT_EQ(check("SELECT region, count(*) FROM data GROUP BY region")->rows_max, std::nullopt);
  EXPECT_EQ(check("SELECT region, count(*) FROM data GROUP BY ALL")->rows_max, std::nullopt);
  EXPECT_EQ(check("SELECT sum(units) OVER () FROM data")->rows_max, std::nullopt);
  EXPECT_EQ(check("SELECT (SELECT count(*) FROM data) FROM data")->rows_max, std::nullopt);
  EXPECT_EQ(check("SELECT * FROM (SELECT * FROM data LIMIT 5) a, data b")->rows_max, std::nullopt);
}

TEST_F(Sql, SaysWhereTheOrderIsNotFixed) {
  EXPECT_THAT(check("SELECT * FROM data")->warnings, SizeIs(1));
  EXPECT_THAT(check("SELECT * FROM (SELECT * FROM data ORDER BY units)")->warnings, SizeIs(1));
  EXPECT_THAT(check("SELECT * FROM data ORDER BY units")->warnings, IsEmpty());
  EXPECT_THAT(check("SELECT count(*) FROM data")->warnings, IsEmpty());
}

// The engine writes 1e0 as 1.0, which is not a double but a decimal.
TEST_F(Sql, KeepsDoublesAndTheNamesOfTheirColumns) {
  for (const std::string sql :
       {"SELECT 1e0 / 3", "SELECT 1e0", "SELECT 1e0 AS one, sum(units * 15e-1), count(*) FROM data",
        "SELECT * FROM (SELECT 1e0 / 3, region FROM data)", "WITH w AS (SELECT 2e0 * units FROM data) FROM w",
        "SELECT 1e0 UNION ALL SELECT 2", "SELECT CASE WHEN units > 1e0 THEN 5e0 END FROM data"}) {
    const Result<Question> question = check(sql);
    ASSERT_TRUE(question.ok()) << sql << ": " << question.error().message;
    const std::string with = "WITH data AS (" + kSales + ") ";
    const auto expected = engine_->describe({.sql = with + "SELECT * FROM (" + sql + ")"}, {});
    const auto found = engine_->describe({.sql = with + question->sql}, {});
    ASSERT_TRUE(expected.ok() && found.ok()) << question->sql;
    ASSERT_EQ(found->columns.size(), expected->columns.size()) << sql;
    for (std::size_t i = 0; i < found->columns.size(); ++i) {
      EXPECT_EQ(found->columns[i].name, expected->columns[i].name) << question->sql;
      EXPECT_EQ(found->columns[i].type.id, expected->columns[i].type.id) << question->sql;
    }
  }
}

TEST_F(Sql, TellsWhichTextsColumnsAreComparedWith) {
  const auto question = check(
      "SELECT region FROM data d WHERE d.region = 'west' AND 'fig' = product OR code IN ('7', upper('a')) "
      "OR units = 5 OR region = product OR region = (SELECT max(product) FROM data WHERE code = 'x')");
  ASSERT_TRUE(question.ok()) << question.error().message;
  std::string told;
  for (const TextEquality& one : question->text_equalities)
    told += one.column + "=" + one.value + one.parameter + ";";
  EXPECT_EQ(told, "region=west;product=fig;code=7;code=x;");
}

TEST_F(Sql, TellsWhichColumnsOrderRows) {
  const auto ordered = [&](const char* sql) {
    const auto question = check(sql);
    EXPECT_TRUE(question.ok()) << sql;
    std::string told;
    for (const std::string& name : question->named_columns->ordered) told += name + ";";
    return told;
  };
  EXPECT_EQ(ordered("SELECT units FROM data ORDER BY \"REGION\", lower(code)"), "region;");
  EXPECT_EQ(ordered("SELECT max(product), min(d.code), sum(units) FROM data d"), "code;product;");
  EXPECT_EQ(
      ordered("SELECT units FROM data WHERE region > 'a' AND 'b' >= product AND code BETWEEN 'a' AND 'b'"),
      "code;product;region;");
  EXPECT_EQ(ordered("SELECT units FROM (SELECT * FROM data ORDER BY region LIMIT 3)"), "region;");
  EXPECT_EQ(ordered("SELECT rank() OVER (PARTITION BY code ORDER BY product) AS r FROM data"), "product;");
  EXPECT_EQ(ordered("SELECT units FROM data WHERE region = 'a' AND product LIKE 'b%' AND code IN ('c')"), "");
}

TEST_F(Sql, TellsWhetherItsRowsAreGroups) {
  EXPECT_TRUE(check("SELECT region, count(*) FROM data GROUP BY region")->has_group_by);
  EXPECT_TRUE(check("SELECT region, count(*) FROM data GROUP BY ALL")->has_group_by);
  EXPECT_TRUE(check("WITH w AS (FROM data) SELECT region, count(*) FROM w GROUP BY 1")->has_group_by);
  EXPECT_FALSE(check("SELECT region AS \"group by\" FROM data -- group by")->has_group_by);
  EXPECT_FALSE(check("SELECT * FROM (SELECT region, count(*) FROM data GROUP BY region)")->has_group_by);
  EXPECT_FALSE(check("SELECT count(*) FROM data")->has_group_by);
}

TEST_F(Sql, SaysWhereItIsWrong) {
  const auto place = [&](std::string_view sql) {
    const auto question = check(sql);
    if (question.ok()) return std::string("allowed");
    const std::string& message = question.error().message;
    const std::size_t at = message.rfind('(');
    return at == std::string::npos ? message : message.substr(at);
  };
  EXPECT_EQ(place("SELECT region\nFORM data"), "(line 2, column 6)");
  EXPECT_EQ(place("SELECT region,\n  random() FROM data"), "(line 2, column 3)");
  EXPECT_EQ(place("SELECT upper(getenv('HOME')) FROM data"), "(line 1, column 14)");
  EXPECT_EQ(place("SELECT 'é', 1 FROM data, elsewhere"), "(line 1, column 26)");
  EXPECT_EQ(place("SELECT region FROM data\r\nWHERE regoin = 'x'"), "(line 2, column 7)");
  EXPECT_EQ(place("SELECT sum(units), sum(region) FROM data"), "(line 1, column 8)");
}

TEST_F(Sql, NamesTheNearestColumn) {
  const auto unknown = check("SELECT regoin FROM data");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "invalid_column");
  EXPECT_THAT(unknown.error().hint, HasSubstr("region"));
  const auto of_alias = check("SELECT d.unit FROM data d");
  ASSERT_FALSE(of_alias.ok());
  EXPECT_EQ(of_alias.error().code, "invalid_column");
  EXPECT_THAT(of_alias.error().hint, HasSubstr("units"));
}

TEST_F(Sql, NamesTheNearestFunction) {
  const auto unknown = check("SELECT uper(region) FROM data");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, "invalid_sql");
  EXPECT_THAT(unknown.error().hint, HasSubstr("upper"));
}

TEST_F(Sql, SaysWhatToWriteForAnAmbiguousColumn) {
  for (const char* sql : {"SELECT region FROM data a JOIN data b ON a.units = b.units",
                          "SELECT a.units FROM data a, data b WHERE region = 'x'"}) {
    const auto ambiguous = check(sql);
    ASSERT_FALSE(ambiguous.ok()) << sql;
    EXPECT_EQ(ambiguous.error().code, "ambiguous_column") << sql;
    EXPECT_THAT(ambiguous.error().message,
                ::testing::StartsWith("ambiguous column: region (line 1, column "));
    EXPECT_EQ(ambiguous.error().hint, "Write a.region or b.region.") << sql;
  }
}

TEST_F(Sql, SaysWhatToWriteForAColumnThatIsNotGrouped) {
  for (const char* sql :
       {"SELECT region, count(*) FROM data", "SELECT product, region, sum(units) FROM data GROUP BY product",
        "SELECT product FROM data GROUP BY product ORDER BY region"}) {
    const auto ungrouped = check(sql);
    ASSERT_FALSE(ungrouped.ok()) << sql;
    EXPECT_EQ(ungrouped.error().code, "ungrouped_column") << sql;
    EXPECT_THAT(ungrouped.error().message,
                ::testing::StartsWith("region is neither grouped nor aggregated (line 1"));
    EXPECT_THAT(ungrouped.error().hint, HasSubstr("any_value(\"region\")")) << sql;
  }
}

TEST_F(Sql, SaysWhereConditionsOnGroupsAndWindowsStand) {
  EXPECT_THAT(check("SELECT region FROM data WHERE count(*) > 1 GROUP BY region").error().hint,
              HasSubstr("HAVING"));
  EXPECT_THAT(check("SELECT region FROM data WHERE row_number() OVER () = 1").error().hint,
              HasSubstr("QUALIFY"));
}

TEST_F(Sql, SaysHowAKeywordIsWrittenAsAName) {
  const auto hint = [&](const char* sql) { return check(sql).error().hint; };
  const std::string quoted = "is a keyword. If it is a name, write it in double quotes: \"order\".";
  for (const char* sql :
       {"SELECT * FROM order", "SELECT 1 FROM data JOIN order USING (x)", "SELECT d.units FROM data d, order",
        "SELECT order FROM data", "SELECT units,\n  order\nFROM data", "SELECT * FROM data WHERE order = 1"})
    EXPECT_THAT(hint(sql), HasSubstr(quoted)) << sql;
  EXPECT_THAT(hint("SELECT * FROM data ORDER BY Desc, 1"), HasSubstr("\"Desc\""));
  for (const char* sql :
       {"SELECT count(* FROM data", "SELECT * FROM WHERE units = 1", "SELECT * FROM data LIMIT",
        "SELECT * FROM data d e", "SELECT (1", "SELECT FROM WHERE", "order"})
    EXPECT_THAT(hint(sql), ::testing::Not(HasSubstr("keyword"))) << sql;
}

TEST_F(Sql, SaysWhatDoesNotBind) {
  const auto mixed = check("SELECT sum(region) FROM data");
  ASSERT_FALSE(mixed.ok());
  EXPECT_EQ(mixed.error().code, "invalid_sql");
  EXPECT_THAT(mixed.error().message, HasSubstr("sum"));
  EXPECT_EQ(check("SELECT * FROM data WHERE").error().code, "invalid_sql");
  EXPECT_EQ(check("").error().code, "invalid_sql");
}

}  // namespace
}  // namespace sluice::expression
