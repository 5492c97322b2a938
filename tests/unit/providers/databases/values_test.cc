// Values that do not fit what was first seen of their columns, rows without an order, and names that the
// engine cannot tell apart.

#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "database_server.h"

namespace sluice::databases::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SqliteValues : public ::testing::Test {
 protected:
  SqliteValues() : writer_(folder_.at("shop.db")) {}

  DatabaseServer& server() {
    if (!server_)
      server_ = std::make_unique<DatabaseServer>(std::vector{sqlite_spec("shop", folder_.at("shop.db"))});
    return *server_;
  }
  std::string rows(const std::string& more) {
    return server().member("query_data", R"({"table":"t",)" + more + "}", "data");
  }
  std::string groups(const std::string& more) {
    return server().member("aggregate", R"({"table":"t",)" + more + "}", "data");
  }

  TestFolder folder_;
  SqliteWriter writer_;
  std::unique_ptr<DatabaseServer> server_;
};

TEST_F(SqliteValues, OfSeveralKindsAreComparedAsTheyAreShown) {
  writer_.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, x); INSERT INTO t VALUES (1, 1), (2, '1'), (3, 1.5), (4, "
      "'abc'), "
      "(5, x'61'), (6, 10), (7, '10'), (8, NULL), (9, 1e300)");
  EXPECT_EQ(rows(R"("columns":["id"],"filters":[{"col":"x","op":"eq","value":"1"}])"),
            R"([{"id":1},{"id":2}])");
  EXPECT_EQ(rows(R"("columns":["id"],"filters":[{"col":"x","op":"in","value":["1","x'61'"]}])"),
            R"([{"id":1},{"id":2},{"id":5}])");
  EXPECT_EQ(rows(R"("columns":["id"],"filters":[{"col":"x","op":"eq","value":"1e+300"}])"), R"([{"id":9}])");
  EXPECT_EQ(rows(R"("columns":["id"],"filters":[{"col":"x","op":"gt","value":8}])"),
            R"([{"id":6},{"id":7},{"id":9}])");
  EXPECT_EQ(groups(R"("group_by":[],"aggs":[{"fn":"count"}],"filters":[{"col":"x","op":"gt","value":8}])"),
            R"([{"count":3}])");
  EXPECT_EQ(rows(R"("columns":["id"],"filters":[{"col":"x","op":"lt","value":"a"}])"),
            R"([{"id":1},{"id":2},{"id":3},{"id":6},{"id":7},{"id":9}])");
  EXPECT_EQ(
      groups(R"("group_by":["x"],"aggs":[{"fn":"count"}],"filters":[{"col":"id","op":"lte","value":2}])"),
      R"([{"x":"1","count":2}])");
  EXPECT_EQ(rows(R"("columns":["x"],"distinct":true,"filters":[{"col":"id","op":"in","value":[6,7]}])"),
            R"([{"x":"10"}])");
}

// Behind the first thousand rows, which tell the types.
TEST_F(SqliteValues, BehindTheSampleAreNotPassedOver) {
  writer_.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b REAL); WITH RECURSIVE n(i) AS (SELECT 1 UNION "
      "ALL "
      "SELECT i + 1 FROM n WHERE i < 3000) INSERT INTO t SELECT i, i % 10, i / 2.0 FROM n; UPDATE t SET a = "
      "'abc' WHERE id = 2500; UPDATE t SET b = 'word' WHERE id = 2600");
  EXPECT_EQ(groups(R"("group_by":[],"aggs":[{"fn":"count"}],"filters":[{"col":"a","op":"gt","value":8}])"),
            R"([{"count":300}])");
  EXPECT_EQ(groups(R"("group_by":[],"aggs":[{"col":"a","fn":"max"},{"col":"b","fn":"max"}])"),
            R"([{"a_max":"abc","b_max":"word"}])");
  EXPECT_THAT(groups(R"("group_by":["a"],"aggs":[{"fn":"count"}])"), HasSubstr(R"({"a":"abc","count":1})"));
  EXPECT_EQ(groups(R"("group_by":[],"aggs":[{"fn":"count"}],"filters":[{"col":"a","op":"gt","value":8}])"),
            R"([{"count":300}])");
}

TEST_F(SqliteValues, OfAnUnseenKindDoNotLeaveAMinimumOfTheRest) {
  writer_.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT "
      "i + "
      "1 FROM n WHERE i < 3000) INSERT INTO t SELECT i, i % 10 FROM n; UPDATE t SET a = '' WHERE id = 2500");
  EXPECT_EQ(groups(R"("group_by":[],"aggs":[{"col":"a","fn":"min"}])"), R"([{"a_min":""}])");
}

TEST_F(SqliteValues, KeepTheOrderOfTheirRows) {
  writer_.run(
      "CREATE TABLE t (id INTEGER, k TEXT); CREATE INDEX by_k ON t (k, id); INSERT INTO t VALUES (1, 'b'), "
      "(2, "
      "'a'), (3, 'b'), (4, 'a')");
  EXPECT_EQ(rows(R"("columns":["id","k"],"deduplicate":["k"])"), R"([{"id":1,"k":"b"},{"id":2,"k":"a"}])");
  EXPECT_EQ(rows(R"("columns":["k"],"limit":2)"), R"([{"k":"b"},{"k":"a"}])");
  EXPECT_EQ(rows(R"("columns":["k"],"limit":2,"filters":[{"col":"k","op":"regex","value":"^[ab]"}])"),
            R"([{"k":"b"},{"k":"a"}])");
  EXPECT_EQ(server().call("query_data", R"({"table":"t","limit":2})").find("warnings"), nullptr);
}

TEST_F(SqliteValues, OfAViewComeWithAWarningThatTheyHaveNoOrder) {
  writer_.run(
      "CREATE TABLE base (x INTEGER); INSERT INTO base VALUES (1), (2); CREATE VIEW t AS SELECT x FROM base");
  EXPECT_THAT(server().member("query_data", R"({"table":"t","limit":1})", "warnings"),
              HasSubstr("no fixed order"));
  EXPECT_THAT(server().member("query_data", R"({"table":"t","deduplicate":["x"]})", "warnings"),
              HasSubstr("no fixed order"));
  EXPECT_EQ(server().call("query_data", R"({"table":"t","limit":1,"order_by":["x"]})").find("warnings"),
            nullptr);
  EXPECT_EQ(server().call("query_data", R"({"table":"t"})").find("warnings"), nullptr);
}

TEST_F(SqliteValues, AreFoundInLongLists) {
  writer_.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT, r REAL); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
      "SELECT "
      "i + 1 FROM n WHERE i < 6000) INSERT INTO t SELECT i, 'k' || i, i / 4.0 FROM n");
  std::string integers;
  std::string texts;
  std::string reals;
  for (int i = 0; i < 200; ++i) {
    const char* comma = i == 0 ? "" : ",";
    integers += fmt::format("{}{}", comma, 5999 - i * 29);
    texts += fmt::format(R"({}"k{}")", comma, 5999 - i * 29);
    reals += fmt::format("{}{}", comma, (5999 - i * 29) / 4.0);
  }
  for (const auto& [column, list] :
       {std::pair{"id", integers}, std::pair{"k", texts}, std::pair{"r", reals}}) {
    const std::string filters =
        fmt::format(R"("columns":["id"],"filters":[{{"col":"{}","op":"in","value":[{}]}}])", column, list);
    EXPECT_EQ(rows(filters + R"(,"limit":2)"), R"([{"id":228},{"id":257}])") << column;
    EXPECT_EQ(server().member("query_data", R"({"table":"t",)" + filters + "}", "row_count"), "200")
        << column;
  }
}

TEST_F(SqliteValues, AreEstimatedExactlyRightAfterAWrite) {
  writer_.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
      "n WHERE "
      "i < 20000) INSERT INTO t SELECT i FROM n");
  ASSERT_TRUE(server().comes_true([&] {
    return server().text("get_catalog", "{}").find(R"("row_count_approx":20000,"row_count_kind":"exact")") !=
           std::string::npos;
  }));
  for (int i = 1; i <= 5; ++i) {
    writer_.run(fmt::format(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t SELECT "
        "20000 + {} * 1000 + i FROM n",
        i));
    const json::Value estimate = server().call("estimate_query", R"({"table":"t"})");
    EXPECT_THAT(json::to_text(estimate),
                AllOf(HasSubstr(std::to_string(20'000 + i * 1'000)), Not(HasSubstr("20000"))));
  }
}

// What a caller sees of a cell, and whether a filter keeps it: the comparison that is to be had of it.
bool keeps(const std::string& op, const std::string& cell, const std::string& operand) {
  int order = 0;
  if (operand.starts_with('"')) {
    order = cell.compare(operand.substr(1, operand.size() - 2));
  } else {
    const bool is_number =
        !cell.empty() && cell.find_first_not_of("0123456789+-.e ") == std::string::npos && cell != "-";
    if (!is_number) return op == "neq";
    const double left = std::strtod(cell.c_str(), nullptr);
    const double right = std::strtod(operand.c_str(), nullptr);
    order = left < right ? -1 : left > right ? 1 : 0;
  }
  if (op == "eq") return order == 0;
  if (op == "neq") return order != 0;
  if (op == "gt") return order > 0;
  if (op == "gte") return order >= 0;
  return op == "lt" ? order < 0 : order <= 0;
}

TEST_F(SqliteValues, OfAnyKindInColumnsOfAnyDeclarationAreComparedAsTheyAreShown) {
  const std::vector<std::string> literals = {
      "1",     "-3",  "20",        "7.5",  "1e300",      "'1'",   "'abc'", "''",   "'7.5'", "'5 '",
      "x'61'", "x''", "'x''61'''", "NULL", "'Infinity'", "9e999", "-20",   "'-3'", "2.0",   "'zebra'"};
  const std::vector<std::string> operands = {
      "1",       "-3",         "7.5",      "8",        "0.5",    "1e300",  R"("1")", R"("abc")",
      R"("")",   R"("x'61'")", R"("7.5")", R"("2.0")", R"("b")", R"("-")", R"("5")", R"("Infinity")",
      R"("x'")", R"("zebra")"};
  const std::vector<std::string> declared = {"", "INTEGER", "TEXT", "NUMERIC", "REAL", "BLOB", "DATETIME"};
  std::minstd_rand random(5);
  std::string sql = "CREATE TABLE t (id INTEGER PRIMARY KEY";
  for (std::size_t i = 0; i < declared.size(); ++i) sql += fmt::format(", c{} {}", i, declared[i]);
  sql += ");";
  for (int row = 1; row <= 60; ++row) {
    sql += fmt::format("INSERT INTO t VALUES ({}", row);
    for (std::size_t i = 0; i < declared.size(); ++i) sql += ", " + literals[random() % literals.size()];
    sql += ");";
  }
  for (std::size_t i = 0; i < declared.size(); ++i) sql += fmt::format("CREATE INDEX i{0} ON t (c{0});", i);
  writer_.run(sql);
  const json::Value shown = server().call("query_data", R"({"table":"t"})");
  const json::Array& all = *shown.find("data")->if_array();
  ASSERT_EQ(all.size(), 60U);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    const std::string column = fmt::format("c{}", i);
    for (const std::string& operand : operands) {
      for (const char* op : {"eq", "neq", "gt", "gte", "lt", "lte"}) {
        std::string expected;
        for (const json::Value& row : all) {
          const std::string* cell = row.find(column)->if_string();
          if (cell != nullptr && keeps(op, *cell, operand))
            expected +=
                fmt::format(R"({}{{"id":{}}})", expected.empty() ? "" : ",", json::to_text(*row.find("id")));
        }
        EXPECT_EQ(rows(fmt::format(R"("columns":["id"],"filters":[{{"col":"{}","op":"{}","value":{}}}])",
                                   column, op, operand)),
                  "[" + expected + "]")
            << declared[i] << " " << op << " " << operand;
      }
    }
  }
}

class PostgresValues : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<DatabaseServer> serve(const std::string& sql) {
    const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
    postgres(GetParam()).run(sql);
    return std::make_unique<DatabaseServer>(std::vector{spec});
  }
};

TEST_P(PostgresValues, OfColumnsThatDifferOnlyInCaseAreTwo) {
  const auto server = serve("CREATE TABLE t (x int, \"X\" numeric); INSERT INTO t VALUES (1, 2.5), (3, 4.5)");
  EXPECT_EQ(server->code("get_schema", R"({"table":"t"})"), "");
  EXPECT_EQ(server->member("query_data", R"({"table":"t","order_by":["x"]})", "data"),
            R"([{"x":1,"X_":2.5},{"x":3,"X_":4.5}])");
  EXPECT_EQ(
      server->member("query_data",
                     R"({"table":"t","columns":["x"],"filters":[{"col":"X_","op":"regex","value":"^4"}]})",
                     "data"),
      R"([{"x":3}])");
}

TEST_P(PostgresValues, KeepTheOrderOfTheirKey) {
  const auto server = serve(
      "CREATE TABLE t (id int PRIMARY KEY, k text); INSERT INTO t SELECT i, 'k' || i % 3 FROM "
      "generate_series(1, 300) "
      "i; UPDATE t SET k = k WHERE id < 100; CREATE TABLE loose (id int, k text); INSERT INTO loose VALUES "
      "(1, 'a'), (2, 'a')");
  EXPECT_EQ(server->member("query_data", R"({"table":"t","columns":["id","k"],"deduplicate":["k"]})", "data"),
            R"([{"id":1,"k":"k1"},{"id":2,"k":"k2"},{"id":3,"k":"k0"}])");
  EXPECT_EQ(
      server->member(
          "query_data",
          R"({"table":"t","columns":["id"],"limit":2,"filters":[{"col":"k","op":"regex","value":"0$"}]})",
          "data"),
      R"([{"id":3},{"id":6}])");
  EXPECT_EQ(server->call("query_data", R"({"table":"t","limit":2})").find("warnings"), nullptr);
  EXPECT_THAT(server->member("query_data", R"({"table":"loose","limit":1})", "warnings"),
              HasSubstr("no fixed order"));
}

TEST_P(PostgresValues, KeepTheOrderOfTheirKeyInSqlAndPolars) {
  const DatabaseSpec spec = fresh_postgres("shop", postgres(GetParam()));
  postgres(GetParam())
      .run(
          "CREATE TABLE t (id int PRIMARY KEY, k int); INSERT INTO t SELECT i, i % 3 FROM generate_series(1, "
          "9) i; UPDATE t SET k = k WHERE id IN (1, 4)");
  DatabaseServer server({spec}, {.folder = {}, .limits = {}, .profile = datasets::ToolProfile::kAll});
  const auto advanced = [&](const std::string& key, const std::string& text) {
    return server.member("advanced_query", R"({"table":"t",")" + key + "\":" + in_json(text) + "}", "data");
  };
  const std::string ones = R"([{"id":1},{"id":4},{"id":7}])";
  EXPECT_EQ(advanced("sql", "SELECT id FROM data WHERE k = 1"), ones);
  EXPECT_EQ(advanced("sql",
                     "SELECT * FROM (SELECT id, k FROM data) WHERE k = 1 AND id IN (SELECT max(id) "
                     "FROM data GROUP BY id)"),
            R"([{"id":1,"k":1},{"id":4,"k":1},{"id":7,"k":1}])");
  EXPECT_EQ(advanced("sql", "SELECT k, first(id) AS id FROM data GROUP BY k ORDER BY k"),
            R"([{"k":0,"id":3},{"k":1,"id":1},{"k":2,"id":2}])");
  EXPECT_EQ(advanced("sql", "SELECT string_agg(id, ',') AS ids FROM data"),
            R"([{"ids":"1,2,3,4,5,6,7,8,9"}])");
  EXPECT_EQ(advanced("polars_expr", R"(filter(pl.col("k") == 1).select("id"))"), ones);
  EXPECT_EQ(server.text("query", R"({"sql":"SELECT id FROM t WHERE k = 1"})"), "id\n1\n4\n7\n");
  EXPECT_EQ(server.text("query", R"({"sql":"SELECT id FROM t LIMIT 2"})"), "id\n1\n2\n");
}

// An order of which nothing is seen would cost a sort of the whole table.
TEST_P(PostgresValues, AreNotPutInOrderForGroupsAndTotals) {
  PostgresServer& own = postgres(GetParam());
  const DatabaseSpec spec = fresh_postgres("shop", own);
  own.run("CREATE TABLE marked (id int PRIMARY KEY, k int); INSERT INTO marked VALUES (1, 2)");
  DatabaseServer server({spec});
  for (const char* sql : {"SELECT k, count(*) AS n FROM data GROUP BY k", "SELECT sum(id) AS s FROM data",
                          "SELECT k, sum(id) AS s FROM (SELECT * FROM data WHERE id > 0) GROUP BY k"}) {
    EXPECT_EQ(server.code("advanced_query", R"({"table":"marked","sql":)" + in_json(sql) + "}"), "") << sql;
  }
  std::ifstream log(own.socket_folder() + "/server.log");
  int scans = 0;
  for (std::string line; std::getline(log, line);) {
    if (line.find("FROM \"public\".\"marked\"") == std::string::npos) continue;
    ++scans;
    EXPECT_THAT(line, Not(HasSubstr("ORDER BY")));
  }
  EXPECT_GE(scans, 3);
}

TEST_P(PostgresValues, OfObjectNumbersAndOfAnySizeAreAddedAndAveraged) {
  const auto server = serve(
      "CREATE TABLE t (id int PRIMARY KEY, o oid, d double precision); INSERT INTO t VALUES (1, 4294967295, "
      "1e200), (2, 4294967292, 3e200)");
  EXPECT_EQ(
      server->member("aggregate",
                     R"({"table":"t","group_by":[],"aggs":[{"col":"o","fn":"sum"},{"col":"o","fn":"median"},)"
                     R"({"col":"d","fn":"avg"}]})",
                     "data"),
      R"([{"o_sum":8589934587,"o_median":4294967293.5,"d_avg":2e+200}])");
}

TEST_P(PostgresValues, AreFoundInLongLists) {
  const auto server = serve(
      "CREATE TABLE t (id int PRIMARY KEY, k text); INSERT INTO t SELECT i, 'k' || i FROM generate_series(1, "
      "9000) i");
  std::string list;
  for (int i = 0; i < 300; ++i) list += fmt::format("{}{}", i == 0 ? "" : ",", 9000 - i * 30);
  EXPECT_EQ(
      server->member("query_data",
                     R"({"table":"t","columns":["id"],"limit":2,"filters":[{"col":"id","op":"in","value":[)" +
                         list + "]}]}",
                     "data"),
      R"([{"id":30},{"id":60}])");
  EXPECT_EQ(
      server->member(
          "aggregate",
          R"({"table":"t","group_by":[],"aggs":[{"fn":"count"}],"filters":[{"col":"id","op":"in","value":[)" +
              list + "]}]}",
          "data"),
      R"([{"count":300}])");
}

// The digits of a numeric without bounds are known from a sample.
TEST_P(PostgresValues, BehindTheSampleAreAggregatedAllTheSame) {
  const auto server = serve(
      "CREATE TABLE t (id int PRIMARY KEY, n numeric); INSERT INTO t SELECT i, i FROM generate_series(1, "
      "20000) i; "
      "UPDATE t SET n = 1e30 + 0.125 WHERE id = 15000");
  EXPECT_THAT(
      server->member("aggregate", R"({"table":"t","group_by":[],"aggs":[{"col":"n","fn":"max"}]})", "data"),
      HasSubstr("1000000000000000000000000000000.125"));
}

INSTANTIATE_TEST_SUITE_P(Both, PostgresValues, ::testing::Values(15, 18),
                         [](const auto& version) { return "Version" + std::to_string(version.param); });

}  // namespace
}  // namespace sluice::databases::testing
