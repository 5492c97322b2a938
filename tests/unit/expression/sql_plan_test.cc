// Statements over one table that sources can compute themselves: which have a plan, and what it says.

#include "sluice/expression/sql.h"
#include "sluice/json/reader.h"
#include "sluice/plan/engine_sql.h"

#include "typed_rows.h"

namespace sluice::expression {
namespace {

using engine::TypeId;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SqlPlan : public ::testing::Test {
 protected:
  Question check(const std::string& sql) {
    Result<Question> question = check_sql(*engine_, sql, type_columns(), {}, {});
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    return question.ok() ? *std::move(question) : Question();
  }

  std::string json(const std::string& sql) {
    const Question question = check(sql);
    return question.plan ? plan::to_json(*question.plan) : "";
  }

  Result<std::vector<std::string>> engine_rows(const engine::Statement& statement) {
    return typed_rows(*engine_, statement);
  }
  Result<std::vector<std::string>> plan_rows(const plan::Node& plan) { return rows_of_plan(*engine_, plan); }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

TEST_F(SqlPlan, SaysWhatAGroupedStatementAsksFor) {
  const std::string plan = json(
      "SELECT name AS place, count(*) AS n FROM data WHERE big > 5 GROUP BY 1 ORDER BY 2 DESC LIMIT 10 "
      "OFFSET 3");
  EXPECT_THAT(plan,
              ::testing::StartsWith(R"({"node":"limit","rows":10,"offset":3,"input":{"node":"project",)"
                                    R"("columns":[0,1],"names":["place","n"],"input":{"node":)"
                                    R"("sort","keys":[{"column":1,"descending":true}],"then_by_row":false,)"
                                    R"("input":{"node":"aggregate","keys":[5],"calls":[{"function":)"
                                    R"("count_rows","name":"value_1"}],"input":{"node":"filter","condition":)"
                                    R"({"is":"compare","column":0,"sign":">","values":[5]},"input":{"node":)"
                                    R"("scan","table":"data")"));
  EXPECT_THAT(plan, ::testing::EndsWith(R"("columns":[{"name":"place","type":"VARCHAR"},{"name":"n",)"
                                        R"("type":"BIGINT"}]})"));
}

TEST_F(SqlPlan, PushesNegationsDownToTheComparisons) {
  EXPECT_THAT(
      json("SELECT big FROM data WHERE NOT (big > 5 OR (small BETWEEN 1 AND 3 AND code IS NULL))"),
      HasSubstr(R"({"is":"and","parts":[{"is":"compare","column":0,"sign":"<=","values":[5]},{"is":"or",)"
                R"("parts":[{"is":"compare","column":1,"sign":"<","values":[1]},{"is":"compare","column":1,)"
                R"("sign":">","values":[3]},{"is":"is_not_null","column":10}]}]})"));
  EXPECT_THAT(
      json("SELECT big FROM data WHERE NOT (5 <= big AND NOT code = 'x' AND flag)"),
      HasSubstr(R"({"is":"or","parts":[{"is":"compare","column":0,"sign":"<","values":[5]},{"is":"compare",)"
                R"("column":10,"sign":"=","values":["x"]},{"is":"compare","column":6,"sign":"=","values":)"
                R"([false]}]})"));
  EXPECT_THAT(json("SELECT big FROM data WHERE big NOT IN (1, 2)"),
              HasSubstr(R"({"is":"and","parts":[{"is":"compare","column":0,"sign":"<>","values":[1]},{"is":)"
                        R"("compare","column":0,"sign":"<>","values":[2]}]})"));
}

TEST_F(SqlPlan, ReadsPatternsThatAreAPartOfTheText) {
  EXPECT_THAT(json("SELECT big FROM data WHERE name LIKE 'no%'"),
              HasSubstr(R"({"is":"starts_with","column":5,"text":"no"})"));
  EXPECT_THAT(json("SELECT big FROM data WHERE name LIKE '%th'"),
              HasSubstr(R"({"is":"ends_with","column":5,"text":"th"})"));
  EXPECT_THAT(json("SELECT big FROM data WHERE name LIKE '%r%'"),
              HasSubstr(R"({"is":"contains","column":5,"text":"r"})"));
  EXPECT_THAT(json("SELECT big FROM data WHERE name LIKE '%'"),
              HasSubstr(R"({"is":"is_not_null","column":5})"));
  EXPECT_THAT(json("SELECT big FROM data WHERE name NOT LIKE 'north'"),
              HasSubstr(R"("sign":"<>","values":["north"])"));
}

TEST_F(SqlPlan, ComparesDoublesWithTheNearestDouble) {
  EXPECT_THAT(json("SELECT big FROM data WHERE real = 0.10"), HasSubstr(R"("values":[0.1])"));
  EXPECT_THAT(json("SELECT big FROM data WHERE big < 2.50"), HasSubstr(R"("values":[2.50])"));
}

// Each of these has a plan, which gives the same rows, names and types as the statement.
TEST_F(SqlPlan, GivesTheRowsOfTheStatement) {
  for (const std::string& sql : std::vector<std::string>{
           "SELECT * FROM data ORDER BY big, small, code",
           "SELECT t.* FROM data AS t WHERE t.big >= 2 ORDER BY t.code",
           "SELECT small, BIG FROM data ORDER BY big DESC NULLS LAST, small LIMIT 2",
           "SELECT small AS s, big AS b FROM data ORDER BY B, S OFFSET 1",
           "SELECT small AS big, big AS small FROM data ORDER BY big, small LIMIT 3",
           "SELECT small AS x FROM data ORDER BY amount, code LIMIT 3",
           "SELECT code FROM data WHERE real = 0.1 ORDER BY 1",
           "SELECT code FROM data WHERE real < 0.3 ORDER BY 1",
           "SELECT code FROM data WHERE real = 0 ORDER BY 1",
           "SELECT code FROM data WHERE real > 1e-7 ORDER BY 1",
           "SELECT code FROM data WHERE NOT real <= 5 ORDER BY 1",
           "SELECT code FROM data WHERE real NOT BETWEEN 0.1 AND 3 ORDER BY 1",
           "SELECT code FROM data WHERE real IN (0.1, 0, 5) ORDER BY 1",
           "SELECT code FROM data WHERE big = 2.0 OR big > 2.5 ORDER BY 1",
           "SELECT code FROM data WHERE big IN (1, 2.5, 9007199254740993) ORDER BY 1",
           "SELECT code FROM data WHERE big <> 9007199254740992 ORDER BY 1",
           "SELECT code FROM data WHERE 2 > small ORDER BY 1",
           "SELECT code FROM data WHERE big IS DISTINCT FROM 2 ORDER BY 1",
           "SELECT code FROM data WHERE big IS NOT DISTINCT FROM 2 ORDER BY 1",
           "SELECT code FROM data WHERE NOT (2 IS DISTINCT FROM big) ORDER BY 1",
           "SELECT code FROM data WHERE NOT (small IS NOT DISTINCT FROM 7) ORDER BY 1",
           "SELECT code FROM data WHERE real IS DISTINCT FROM 0 ORDER BY 1",
           "SELECT code FROM data WHERE small < 3000000000 AND small > -9999999999 ORDER BY 1",
           "SELECT code FROM data WHERE amount = 12.5 OR amount < -0.005 ORDER BY 1",
           "SELECT code FROM data WHERE amount >= 99999999.99 ORDER BY 1",
           "SELECT code FROM data WHERE amount BETWEEN 12 AND 12.501 ORDER BY 1",
           "SELECT code FROM data WHERE amount NOT IN (12.50, 3) ORDER BY 1",
           "SELECT code FROM data WHERE name > 'North' ORDER BY 1",
           "SELECT code FROM data WHERE name LIKE 'no%' ORDER BY 1",
           "SELECT code FROM data WHERE starts_with(name, 'no%') OR suffix(name, 'uth') ORDER BY 1",
           "SELECT code FROM data WHERE contains(name, 'or') AND NOT (code = '7') ORDER BY 1",
           "SELECT code FROM data WHERE prefix(name, '') AND ends_with(name, 'th') ORDER BY 1",
           "SELECT code FROM data WHERE code LIKE '' ORDER BY 1",
           "SELECT code FROM data WHERE flag ORDER BY 1",
           "SELECT code FROM data WHERE NOT flag ORDER BY 1",
           "SELECT code FROM data WHERE flag <> true ORDER BY 1",
           "SELECT code FROM data WHERE day = '2024-01-05' ORDER BY 1",
           "SELECT code FROM data WHERE day IN ('2024-01-05', '2023-12-31') ORDER BY 1",
           "SELECT code FROM data WHERE day > DATE '2023-12-31' ORDER BY 1",
           "SELECT code FROM data WHERE moment >= '2024-01-05T10:30:00' ORDER BY 1",
           "SELECT code FROM data WHERE moment IN ('2024-01-05', '2024-01-05 10:30:00.123456') ORDER BY 1",
           "SELECT code FROM data WHERE moment = DATE '2024-01-05' ORDER BY 1",
           "SELECT code FROM data WHERE moment BETWEEN DATE '2024-01-05' AND '2024-01-05 10:30:00' ORDER "
           "BY 1",
           "SELECT code FROM data WHERE moment > TIMESTAMP '2024-01-05 10:30:00.1' ORDER BY 1",
           "SELECT code FROM data WHERE instant >= '2024-01-05T10:30:00Z' ORDER BY 1",
           "SELECT DISTINCT big FROM data ORDER BY 1 DESC",
           "SELECT DISTINCT big AS b, small FROM data WHERE big IS NOT NULL ORDER BY small, b LIMIT 2 "
           "OFFSET 1",
           "SELECT count(*) FROM data",
           "SELECT count(1) AS a, count(code) AS b, count(DISTINCT big) AS c, min(day), MAX(name) FROM "
           "data",
           "SELECT sum(big), sum(small), sum(amount), avg(small), avg(big), median(small) FROM data",
           "SELECT median(real), sum(single), avg(amount) FROM data WHERE real < 5",
           "SELECT big, bool_and(flag), bool_or(flag) AS any_flag FROM data GROUP BY big ORDER BY big",
           "SELECT big, count(*) AS n FROM data GROUP BY big ORDER BY n DESC, big",
           "SELECT count(*) AS n, big AS b FROM data GROUP BY b ORDER BY b LIMIT 2",
           "SELECT max(small) FROM data GROUP BY big ORDER BY big",
           "SELECT big FROM data GROUP BY big ORDER BY count(*) DESC, max(small) LIMIT 3",
           "SELECT count(*) AS big FROM data GROUP BY small, big ORDER BY small, 1",
           "SELECT big, small FROM data GROUP BY 2, 1, big ORDER BY 1, 2",
           "SELECT big, count(*) FROM data GROUP BY big HAVING count(*) > 1 ORDER BY 1",
           "SELECT big, count(*) AS n FROM data GROUP BY big HAVING n >= 1 AND big > 1 ORDER BY 1",
           "SELECT big AS b FROM data GROUP BY big HAVING NOT (max(small) < 5 OR b IS NULL) ORDER BY 1",
           "SELECT small FROM data GROUP BY 1 HAVING sum(big) BETWEEN 2 AND 9007199254740996 ORDER BY 1",
           "SELECT name, avg(small) AS a FROM data GROUP BY 1 HAVING avg(small) > 2.5 OR name = 'north' "
           "ORDER BY 1",
           "SELECT count(*) AS big FROM data GROUP BY big HAVING big > 1 ORDER BY 1",
           "SELECT count(*) FROM data HAVING count(*) > 100",
           "SELECT sum(small) AS s FROM data HAVING min(day) = '2023-12-31'",
           "SELECT big FROM data GROUP BY big HAVING count(code) IN (1, 2) ORDER BY sum(small), big LIMIT 2",
           "SELECT big FROM data WHERE big > 1 UNION ALL SELECT big FROM data ORDER BY big",
           "SELECT big AS b, name FROM data UNION SELECT big, code FROM data ORDER BY B DESC, 2 LIMIT 4 "
           "OFFSET 1",
           "SELECT small FROM data EXCEPT SELECT small FROM data WHERE big = 2 ORDER BY 1",
           "SELECT real FROM data EXCEPT ALL SELECT real FROM data WHERE big = 2 ORDER BY 1",
           "SELECT name FROM data INTERSECT SELECT code FROM data ORDER BY name",
           "SELECT big FROM data INTERSECT ALL SELECT big FROM data WHERE flag ORDER BY 1",
           "SELECT big FROM data UNION SELECT big FROM data WHERE flag EXCEPT SELECT big FROM data WHERE big "
           "= 2 ORDER BY 1",
           "SELECT DISTINCT flag FROM data UNION ALL SELECT flag FROM data WHERE big = 1 ORDER BY 1",
           "SELECT big, count(*) AS n FROM data GROUP BY big UNION SELECT big, max(big) FROM data GROUP BY 1 "
           "ORDER BY 1, 2",
           "SELECT year(day) AS y FROM data UNION SELECT month(day) FROM data ORDER BY y",
           "SELECT code, year(day) AS y, quarter(day) AS q, month(day), day(day) FROM data ORDER BY 1",
           "SELECT code, YEAR(moment) AS y, quarter(moment) q, dayofmonth(moment), isodow(moment) FROM data "
           "ORDER BY 1",
           "SELECT code, extract(year FROM day) AS y, date_part('Month', moment) AS m FROM data ORDER BY 1",
           "SELECT code, date_trunc('month', day) AS m, date_trunc('week', moment) AS w FROM data ORDER BY 1",
           "SELECT code, datetrunc('hour', moment) AS h, date_trunc('second', moment) s FROM data ORDER BY 1",
           "SELECT code FROM data WHERE year(day) = 2024 AND big IS NOT NULL ORDER BY 1",
           "SELECT code FROM data WHERE 2024 > year(day) OR coalesce(small, 0) = 0 ORDER BY 1",
           "SELECT code FROM data WHERE date_trunc('year', day) >= DATE '2024-01-01' ORDER BY 1",
           "SELECT code FROM data WHERE month(day) IN (1, 12) AND month(moment) BETWEEN 1 AND 6 ORDER BY 1",
           "SELECT code FROM data ORDER BY year(day) DESC, month(day), code",
           "SELECT year(day) AS y, count(*) AS n FROM data GROUP BY y ORDER BY y",
           "SELECT year(day), count(*) FROM data GROUP BY year(day) ORDER BY year(day)",
           "SELECT date_trunc('month', moment) AS m, sum(big) FROM data GROUP BY 1 ORDER BY 1",
           "SELECT count(*) AS n FROM data GROUP BY year(day), month(day) ORDER BY n, year(day), month(day)",
           "SELECT year(day) AS y FROM data GROUP BY 1 HAVING year(day) > 2023 AND count(*) > 1 ORDER BY 1",
           "SELECT DISTINCT year(day) AS y, isodow(day) FROM data ORDER BY 1, 2",
           "SELECT max(year(day)), min(month(day)), count(DISTINCT quarter(day)) FROM data",
           "SELECT code, coalesce(big, 0) AS b, coalesce(small, -1) AS s, coalesce(real, 0.5) r FROM data "
           "ORDER BY 1",
           "SELECT code, coalesce(name, code, 'none') AS n, coalesce(day, DATE '2000-01-01') AS d FROM data "
           "ORDER BY 1, 2, 3",
           "SELECT code, coalesce(moment, '2000-01-01 10:00:00') AS m, coalesce(flag, false) f FROM data "
           "ORDER BY 1, 2",
           "SELECT code, coalesce(amount, 1.25) AS a, coalesce(moment, DATE '2001-02-03') AS m FROM data "
           "ORDER BY 1, 2",
           "SELECT code, coalesce(NULL, big, 5) AS b FROM data ORDER BY 1",
           "SELECT code, nullif(big, 2) AS b, nullif(name, 'north') AS n, nullif(small, 70000) s FROM data "
           "ORDER BY 1",
           "SELECT code, nullif(real, 0) AS r FROM data ORDER BY 1",
           "SELECT code, CASE WHEN big > 1 THEN 'many' WHEN big = 1 THEN 'one' ELSE 'none' END AS k FROM "
           "data ORDER BY 1, 2",
           "SELECT code, CASE WHEN flag THEN big END AS b, CASE WHEN NOT flag THEN NULL ELSE small END s "
           "FROM data ORDER BY 1",
           "SELECT code, CASE name WHEN 'north' THEN 1 WHEN 'south' THEN 2 END AS k FROM data ORDER BY 1",
           "SELECT code, CASE WHEN big > 1 THEN 3000000000 ELSE 0 END AS k FROM data ORDER BY 1",
           "SELECT code, CASE WHEN big > 1 THEN true ELSE false END AS k FROM data ORDER BY 1",
           "SELECT code, CASE WHEN big > 1 THEN 1e0 ELSE 2e0 END AS k FROM data ORDER BY 1",
           "SELECT code, CASE WHEN year(day) = 2024 THEN month(day) ELSE 0 END AS k FROM data ORDER BY 1",
           "SELECT code, year(coalesce(day, DATE '2000-01-01')) AS y FROM data ORDER BY 1",
           "SELECT sum(CASE WHEN big > 1 THEN 1 ELSE 0 END) AS n, avg(CASE WHEN flag THEN small END) FROM "
           "data",
           "SELECT sum(coalesce(amount, 0.5)), max(coalesce(name, '')) FROM data",
           "SELECT count(*) FILTER (WHERE big > 1) AS n, sum(big) FILTER (WHERE flag) AS s FROM data",
           "SELECT big, min(day) FILTER (WHERE year(day) > 2023), count(1) FILTER (flag) FROM data GROUP BY "
           "big ORDER BY big",
           "SELECT count(DISTINCT small) FILTER (WHERE big = 2), bool_or(flag) FILTER (WHERE small > 0) FROM "
           "data",
           "SELECT median(small) FILTER (WHERE big > 0) AS m, avg(real) FILTER (WHERE real < 5) FROM data",
           "SELECT big FROM data GROUP BY big HAVING count(*) FILTER (WHERE flag) > 0 ORDER BY 1",
           "SELECT coalesce(sum(big), 0) AS b, coalesce(sum(amount), 0) a FROM data WHERE big > 99",
           "SELECT big, coalesce(sum(small), 0) AS s FROM data GROUP BY 1 ORDER BY s, 1",
       }) {
    const Question question = check(sql);
    ASSERT_TRUE(question.plan) << sql;
    const auto expected = engine_rows({.sql = question.sql, .parameters = {}});
    const auto rows = plan_rows(*question.plan);
    ASSERT_TRUE(expected.ok() && rows.ok()) << sql << (rows.ok() ? "" : rows.error().message);
    EXPECT_EQ(*rows, *expected) << sql << "\n" << plan::engine_sql(question.plan).sql;
    const auto described =
        engine_->describe({.sql = "WITH data AS (" + kTypes + ") " + question.sql, .parameters = {}}, {});
    ASSERT_TRUE(described.ok()) << sql;
    ASSERT_EQ(question.plan->columns.size(), described->columns.size()) << sql;
    for (std::size_t i = 0; i < described->columns.size(); ++i) {
      const engine::Field& column = question.plan->columns[i];
      EXPECT_EQ(column.name, described->columns[i].name) << sql;
      if (column.type.id != TypeId::kOther) {
        EXPECT_EQ(engine::sql_name(column.type), engine::sql_name(described->columns[i].type)) << sql;
      }
    }
  }
}

TEST_F(SqlPlan, IsNullForWhateverAPlanDoesNotComputeExactly) {
  for (const std::string& sql : std::vector<std::string>{
           "SELECT 1 AS one",
           "SELECT big + 1 FROM data",
           "SELECT 5 AS five, big FROM data",
           "SELECT big, big FROM data",
           "SELECT big, small AS BIG FROM data",
           "SELECT * EXCLUDE (big) FROM data",
           "SELECT * REPLACE (1 AS big) FROM data",
           "SELECT * RENAME (big AS b) FROM data",
           "SELECT a FROM data AS t(a)",
           "SELECT big FROM data UNION ALL BY NAME SELECT big FROM data",
           "SELECT big FROM data UNION ALL SELECT small FROM data",
           "SELECT big FROM data UNION (SELECT big FROM data ORDER BY big LIMIT 1)",
           "WITH x AS (SELECT 1) SELECT big FROM data UNION SELECT big FROM data",
           "WITH x AS (SELECT big FROM data) SELECT big FROM x",
           "WITH x AS (SELECT 1) SELECT big FROM data",
           "SELECT big FROM (SELECT big FROM data)",
           "SELECT a.big FROM data a, data b",
           "SELECT big FROM data WHERE big = (SELECT max(big) FROM data)",
           "SELECT big FROM data WHERE EXISTS (SELECT 1 FROM data)",
           "SELECT big FROM data WHERE big IN (SELECT big FROM data)",
           "SELECT big FROM data WHERE big = small",
           "SELECT big FROM data WHERE big + 1 > 5",
           "SELECT big FROM data WHERE big = NULL",
           "SELECT big FROM data WHERE big IN (1, NULL)",
           "SELECT big FROM data WHERE big NOT IN (1, NULL)",
           "SELECT big FROM data WHERE big IS DISTINCT FROM NULL",
           "SELECT big FROM data WHERE big IS DISTINCT FROM small",
           "SELECT big FROM data WHERE big = 1e300",
           "SELECT big FROM data WHERE big < 1::DOUBLE",
           "SELECT big FROM data WHERE big IN (1, 1e300)",
           "SELECT big FROM data WHERE small = 170141183460469231731687303715884105727",
           "SELECT big FROM data WHERE big < 0.00000000000000000001",
           "SELECT big FROM data WHERE amount < 1e300",
           "SELECT big FROM data WHERE amount = '12.5'",
           "SELECT big FROM data WHERE single = 1.5",
           "SELECT big FROM data WHERE real = 9007199254740993",
           "SELECT big FROM data WHERE real < 1e300",
           "SELECT big FROM data WHERE real = 0.1234567890123456789",
           "SELECT big FROM data WHERE real = '0.1'",
           "SELECT big FROM data WHERE big = '1'",
           "SELECT big FROM data WHERE flag = 1",
           "SELECT big FROM data WHERE flag = 'true'",
           "SELECT big FROM data WHERE day = '2024-1-5'",
           "SELECT big FROM data WHERE day > TIMESTAMP '2024-01-05 10:00:00'",
           "SELECT big FROM data WHERE moment > '2024-01-05 10:30'",
           "SELECT big FROM data WHERE moment > '2024-01-05 10:30:00+02'",
           "SELECT big FROM data WHERE moment > '2024-01-05 10:30:00.1234567'",
           "SELECT big FROM data WHERE moment > '2024-01-04 24:00:00'",
           "SELECT big FROM data WHERE instant > '2024-01-05 10:30:00'",
           "SELECT big FROM data WHERE instant > '2024-01-05'",
           "SELECT big FROM data WHERE name LIKE 'n_rth'",
           "SELECT big FROM data WHERE name LIKE 'n%h'",
           "SELECT big FROM data WHERE name LIKE 'n\\%'",
           "SELECT big FROM data WHERE name LIKE 'n!%' ESCAPE '!'",
           "SELECT big FROM data WHERE name NOT LIKE 'n%'",
           "SELECT big FROM data WHERE NOT contains(name, 'n')",
           "SELECT big FROM data WHERE name ILIKE 'north'",
           "SELECT big FROM data WHERE name COLLATE NOCASE = 'north'",
           "SELECT big FROM data WHERE true",
           "SELECT big FROM data ORDER BY big NULLS FIRST",
           "SELECT big FROM data ORDER BY big + 1",
           "SELECT big FROM data ORDER BY ALL",
           "SELECT name FROM data ORDER BY name COLLATE NOCASE",
           "SELECT big FROM data LIMIT 10%",
           "SELECT big FROM data LIMIT (SELECT 1)",
           "SELECT DISTINCT ON (big) big FROM data",
           "SELECT DISTINCT big, count(*) FROM data GROUP BY big",
           "SELECT big, count(*) FROM data GROUP BY ALL",
           "SELECT big, count(*) FROM data GROUP BY ROLLUP (big)",
           "SELECT big, count(*) FROM data GROUP BY GROUPING SETS ((big), ())",
           "SELECT big % 2, count(*) FROM data GROUP BY 1",
           "SELECT big, count(*) FROM data GROUP BY big HAVING count(*) + 1 > 1",
           "SELECT big, count(*) FROM data GROUP BY big HAVING count(*) > big",
           "SELECT big, sum(small) FROM data GROUP BY big HAVING sum(small) > 1.5",
           "SELECT big, median(small) FROM data GROUP BY big HAVING median(small) > 1",
           "SELECT big AS b, count(*) AS small FROM data GROUP BY big HAVING small > 1",
           "SELECT big FROM data QUALIFY row_number() OVER (ORDER BY big) = 1",
           "SELECT row_number() OVER (ORDER BY big) FROM data",
           "SELECT count(*) FILTER (WHERE big > small) FROM data",
           "SELECT sum(DISTINCT big) FILTER (WHERE big > 1) FROM data",
           "SELECT year(instant) AS y FROM data",
           "SELECT year(CAST(name AS DATE)) AS y FROM data",
           "SELECT century(day) AS y FROM data",
           "SELECT date_part('dow', day) AS y FROM data",
           "SELECT date_part(['year', 'month'], day) AS y FROM data",
           "SELECT date_trunc('decade', day) AS y FROM data",
           "SELECT date_trunc(name, day) AS y FROM data",
           "SELECT date_trunc('day', instant) AS y FROM data",
           "SELECT coalesce(small, 3000000000) AS x FROM data",
           "SELECT coalesce(small, big) AS x FROM data",
           "SELECT coalesce(small, 1.5) AS x FROM data",
           "SELECT coalesce(small, CAST('1' AS BIGINT)) AS x FROM data",
           "SELECT coalesce(amount, 0) AS x FROM data",
           "SELECT coalesce(amount, 1.125) AS x FROM data",
           "SELECT coalesce(real, -0e0) AS x FROM data",
           "SELECT coalesce(moment, day) AS x FROM data",
           "SELECT coalesce(big, NULL, small + 1) AS x FROM data",
           "SELECT coalesce(NULL, NULL) AS x FROM data",
           "SELECT nullif(big, small) AS x FROM data",
           "SELECT CASE WHEN big > 1 THEN 1 ELSE 'a' END AS x FROM data",
           "SELECT CASE WHEN big > 1 THEN 1 ELSE 1.5 END AS x FROM data",
           "SELECT CASE WHEN big > small THEN 1 ELSE 2 END AS x FROM data",
           "SELECT CASE WHEN big > 1 THEN NULL END AS x FROM data",
           "SELECT CASE WHEN big > 1 THEN big + 1 END AS x FROM data",
           "SELECT century(day), count(*) FROM data GROUP BY 1",
           "SELECT big FROM data GROUP BY big HAVING sum(coalesce(small, 1)) > 1.5",
           "SELECT coalesce(sum(big), 1) AS s FROM data",
           "SELECT coalesce(max(big), 0) AS s FROM data",
           "SELECT sum(DISTINCT big) FROM data",
           "SELECT median(big) FROM data",
           "SELECT median(amount) FROM data",
           "SELECT median(day) FROM data",
           "SELECT sum(flag) FROM data",
           "SELECT bool_and(CAST(big AS BOOLEAN)) FROM data",
           "SELECT max(big, 2) FROM data",
           "SELECT first(big) FROM data",
           "SELECT count(big + 1) FROM data",
           "SELECT big AS \"" + std::string(64, 'x') + "\" FROM data",
       }) {
    EXPECT_EQ(check(sql).plan, nullptr) << sql;
  }
}

TEST_F(SqlPlan, ReadsTheValuesOfParameters) {
  class Tables final : public SqlTables {
   public:
    Result<const Table*> find(const std::vector<std::string>& /*parts*/,
                              const ScanFilters& /*filters*/) override {
      return &table_;
    }

   private:
    const Table table_{.name = "sluice_table_0", .columns = type_columns()};
  } tables;
  const auto question =
      check_sql(*engine_, "SELECT big FROM sales.orders WHERE big > $n AND day = $d AND real < $r LIMIT $m",
                tables, {}, {},
                {{"n", {.type = SqlType::kInteger, .value = "-5"}},
                 {"m", {.type = SqlType::kInteger, .value = "3"}},
                 {"d", {.type = SqlType::kDate, .value = "2024-01-05"}},
                 {"r", {.type = SqlType::kNumber, .value = "0.5"}}});
  ASSERT_TRUE(question.ok()) << question.error().message;
  ASSERT_TRUE(question->plan);
  EXPECT_THAT(plan::to_json(*question->plan),
              ::testing::AllOf(HasSubstr(R"("rows":3)"), HasSubstr(R"("values":[-5])"),
                               HasSubstr(R"(["2024-01-05"])"), HasSubstr(R"("values":[0.5])"),
                               HasSubstr(R"("table":"sluice_table_0")")));
}

}  // namespace
}  // namespace sluice::expression
