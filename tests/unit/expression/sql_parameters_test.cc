#include "sluice/expression/sql.h"

#include "testing.h"

namespace sluice::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// `data` under its own name, as tables of a server are found.
class OneTable final : public SqlTables {
 public:
  Result<const Table*> find(const std::vector<std::string>& parts, const ScanFilters& /*filters*/) override {
    if (parts.size() == 1 && parts.front() == "data") return &table_;
    return not_found("no table is called " + parts.front()).with_code("dataset_not_found");
  }

 private:
  const Table table_{.name = "data", .columns = sales_columns()};
};

class SqlParametersTest : public ::testing::Test {
 protected:
  Result<Question> check(std::string_view sql, const SqlParameters& parameters) {
    OneTable tables;
    return check_sql(*engine_, sql, tables, {}, {}, parameters);
  }

  std::vector<std::string> rows(std::string_view sql, const SqlParameters& parameters) {
    const Result<Question> question = check(sql, parameters);
    EXPECT_TRUE(question.ok()) << sql << ": " << (question.ok() ? "" : question.error().message);
    if (!question.ok()) return {};
    const auto found = answer(*engine_, *question);
    EXPECT_TRUE(found.ok()) << question->sql << ": " << (found.ok() ? "" : found.error().message);
    return found.ok() ? *found : std::vector<std::string>();
  }

  std::unique_ptr<engine::Engine> engine_ = open_engine();
};

SqlParameters text(const std::string& value) { return {{"x", {.type = SqlType::kText, .value = value}}}; }
SqlParameters integer(const std::string& value) {
  return {{"x", {.type = SqlType::kInteger, .value = value}}};
}

TEST_F(SqlParametersTest, StandForValuesOfEveryType) {
  EXPECT_THAT(rows("SELECT product FROM data WHERE region = $x ORDER BY 1", text("south")),
              ElementsAre("Apple pie", "pear"));
  EXPECT_THAT(rows("SELECT product FROM data WHERE units >= $x ORDER BY 1", integer("10")),
              ElementsAre("apple", "fig"));
  EXPECT_THAT(rows("SELECT product FROM data WHERE price > $x ORDER BY 1",
                   {{"x", {.type = SqlType::kNumber, .value = "2.75"}}}),
              ElementsAre("fig", "fig"));
  EXPECT_THAT(rows("SELECT product FROM data WHERE day = $x ORDER BY 1",
                   {{"x", {.type = SqlType::kDate, .value = "2024-01-05"}}}),
              ElementsAre("apple", "fig"));
  EXPECT_THAT(rows("SELECT count(*) FROM data WHERE (units > 5) = $x",
                   {{"x", {.type = SqlType::kBoolean, .value = "false"}}}),
              ElementsAre("3"));
}

TEST_F(SqlParametersTest, MayBeUsedSeveralTimesAndInEveryPart) {
  EXPECT_THAT(rows("WITH a AS (SELECT * FROM data WHERE region = $region) SELECT $region AS r, product "
                   "FROM a WHERE units > $least ORDER BY product LIMIT $most",
                   {{"region", {.type = SqlType::kText, .value = "north"}},
                    {"least", {.type = SqlType::kInteger, .value = "0"}},
                    {"most", {.type = SqlType::kInteger, .value = "1"}}}),
              ElementsAre("north|apple"));
}

TEST_F(SqlParametersTest, KeepTheMeaningOfNumbersInExpressions) {
  EXPECT_THAT(rows("SELECT 10 - $x, $x * $x, ($x)::BIGINT + 1", integer("-7")), ElementsAre("17|49|-6"));
  EXPECT_THAT(rows("SELECT $x", integer("9223372036854775807")), ElementsAre("9223372036854775807"));
  EXPECT_THAT(rows("SELECT $x", integer("-9223372036854775808")), ElementsAre("-9223372036854775808"));
}

TEST_F(SqlParametersTest, MayBeNull) {
  const SqlParameters none{{"x", {.type = SqlType::kText, .value = std::nullopt}}};
  EXPECT_THAT(rows("SELECT count(*) FROM data WHERE $x IS NULL OR region = $x", none), ElementsAre("7"));
  EXPECT_THAT(rows("SELECT count(*) FROM data WHERE region = $x", none), ElementsAre("0"));
}

// Whatever a text holds, it is compared with, and never read as SQL.
TEST_F(SqlParametersTest, AreToldFromTextsOfTheStatement) {
  const auto question = check(
      "SELECT 1 FROM data WHERE region = $x AND product IN ('fig', $x) AND units = $n",
      {{"x", {.type = SqlType::kText, .value = "it's"}}, {"n", {.type = SqlType::kInteger, .value = "5"}}});
  ASSERT_TRUE(question.ok()) << question.error().message;
  std::string told;
  for (const TextEquality& one : question->text_equalities)
    told += one.column + "=" + one.value + "$" + one.parameter + ";";
  EXPECT_EQ(told, "region=it's$x;product=fig$;product=it's$x;");
}

TEST_F(SqlParametersTest, CannotBecomeSql) {
  for (const std::string& hostile :
       std::vector<std::string>{"' OR '1'='1", "x'; DROP TABLE data; --", "\\' OR 1=1 --", "$$ OR 1=1 $$",
                                "$y", "\" OR 1=1 --", "') UNION SELECT 'a' --", "E'\\x27'",
                                "\xef\xbc\x87 OR 1=1", "/* */ OR true", "?1", std::string(4'000, '\'')}) {
    EXPECT_THAT(rows("SELECT product FROM data WHERE region = $x", text(hostile)), IsEmpty()) << hostile;
    EXPECT_THAT(rows("SELECT $x = region FROM data WHERE region = 'east'", text(hostile)),
                ElementsAre("false"))
        << hostile;
    EXPECT_THAT(rows("SELECT $x AS x", text(hostile)), ElementsAre(hostile));
  }
}

TEST_F(SqlParametersTest, CannotNameTablesColumnsOrFunctions) {
  for (const std::string_view sql :
       {"SELECT * FROM $x", "SELECT * FROM data.$x", "SELECT data.$x FROM data", "SELECT $x(1) FROM data",
        "SELECT 1 AS $x", "SELECT * FROM data AS $x", "SELECT CAST(1 AS $x)"}) {
    const Result<Question> question = check(sql, text("data"));
    ASSERT_FALSE(question.ok()) << sql;
    EXPECT_EQ(question.error().code, "invalid_sql") << sql;
  }
  EXPECT_FALSE(check("SELECT * FROM query_table($x)", text("data")).ok());
  EXPECT_FALSE(check("SELECT * FROM read_csv($x)", text("/etc/passwd")).ok());
}

TEST_F(SqlParametersTest, AreKnownByNameAlone) {
  EXPECT_THAT(check("SELECT $y", text("a")).error().message, HasSubstr("$y, which is no parameter"));
  EXPECT_FALSE(check("SELECT $1", text("a")).ok());
  EXPECT_FALSE(check("SELECT ?", text("a")).ok());
  EXPECT_FALSE(check("SELECT $$a$$", text("a")).ok());
  EXPECT_FALSE(check("SELECT $x$a$x$", text("a")).ok());
  EXPECT_FALSE(check("SELECT $X", text("a")).ok());
  EXPECT_FALSE(check("SELECT $x", {}).ok());
  EXPECT_THAT(rows("SELECT '$x', \"$x\" FROM (SELECT 1 AS \"$x\") -- $y", text("a")), ElementsAre("$x|1"));
}

TEST_F(SqlParametersTest, CountAsTextThatAStatementCanMakeMuchOf) {
  EXPECT_FALSE(check("SELECT repeat($x, 1000000000) FROM data", text("abc")).ok());
}

TEST_F(SqlParametersTest, OfAStatementAreCheckedWithoutItsTables) {
  const auto check_form = [&](std::string_view sql) { return check_select(*engine_, sql, text("a"), {}); };
  EXPECT_TRUE(check_form("SELECT a FROM unknown WHERE b = $x").ok());
  EXPECT_TRUE(check_form("WITH t AS (SELECT 1) SELECT * FROM t UNION SELECT 2;").ok());
  for (const std::string_view sql :
       {"DROP TABLE data", "INSERT INTO data VALUES (1)", "SELECT 1; SELECT 2", "SELEC 1", "",
        "COPY data TO 'x'", "ATTACH 'x'", "PRAGMA version", "SET threads = 1", "CREATE TABLE x AS SELECT 1",
        "SELECT $y", "EXPLAIN SELECT 1", "CALL pragma_version()"}) {
    const Status status = check_form(sql);
    EXPECT_FALSE(status.ok()) << sql;
    if (!status.ok()) {
      EXPECT_EQ(status.error().code, "invalid_sql") << sql;
    }
  }
}

}  // namespace
}  // namespace sluice::expression
