#include "data_server.h"

namespace sluice::datasets::testing {
namespace {

class Advanced : public ::testing::Test {
 protected:
  Advanced() : server(DataServer::budget()) {}

  std::string rows(const std::string& tool, const std::string& more) {
    const WireMessage answer(server.call(tool, R"({"year":2023,"source_type":"BUDGET_LAW",)" + more + "}"));
    return answer.has({"data"}) ? answer.text({"data"}) : json::to_text(answer.value());
  }
  std::string refused(const std::string& sql) {
    json::Object arguments{{"dataset", "2023_BUDGET_LAW"}, {"sql", sql}};
    return server.code("advanced_query", json::to_text(arguments));
  }

  DataServer server;
};

// The same question by query arguments, expression and SQL gives the same rows.
TEST_F(Advanced, AgreesWithTheKnobs) {
  struct Case {
    const char* tool;
    const char* query_arguments;
    const char* chain;
    const char* sql;
  };
  for (
      const Case& one : {
          Case{"query_data", R"("columns":["program_code","subprogram_total"],"limit":5)",
               R"(select(\"program_code\", \"subprogram_total\").head(5))",
               R"(select program_code, subprogram_total from data limit 5)"},
          Case{"query_data",
               R"("columns":["subprogram_name"],"filters":[{"col":"program_code","op":"eq","value":"1162"}])",
               R"(filter(pl.col(\"program_code\") == \"1162\").select(\"subprogram_name\"))",
               R"(select subprogram_name from data where program_code = '1162')"},
          Case{
              "query_data",
              R"("columns":["subprogram_code","subprogram_total"],"filters":[{"col":"subprogram_total","op":"gt","value":5000000}],"order_by":[{"col":"subprogram_total","desc":true}])",
              R"(filter(pl.col(\"subprogram_total\") > 5000000).sort(\"subprogram_total\", descending=True).select(\"subprogram_code\", \"subprogram_total\"))",
              R"(select subprogram_code, subprogram_total from data where subprogram_total > 5000000 order by subprogram_total desc)"},
          Case{
              "aggregate",
              R"("group_by":["subprogram_type"],"aggs":[{"col":"program_code","fn":"count_distinct"}])",
              R"(group_by(\"subprogram_type\").agg(pl.col(\"program_code\").n_unique().alias(\"program_code_count_distinct\")))",
              R"(select subprogram_type, count(distinct program_code) as program_code_count_distinct from data group by 1 order by 1 nulls last)"},
          Case{
              "aggregate",
              R"("group_by":[],"aggs":[{"fn":"count"}],"filters":[{"col":"program_name","op":"contains","value":"կրթ"}])",
              R"(filter(pl.col(\"program_name\").str.contains(\"կրթ\", literal=True)).select(pl.len().alias(\"count\")))",
              R"(select count(*) as count from data where contains(program_name, 'կրթ'))"},
      }) {
    const std::string expected = rows(one.tool, one.query_arguments);
    EXPECT_EQ(expected.front(), '[') << expected;
    EXPECT_EQ(rows("advanced_query", R"("polars_expr":")" + std::string(one.chain) + "\""), expected)
        << one.chain;
    EXPECT_EQ(rows("advanced_query", R"("sql":")" + std::string(one.sql) + "\""), expected) << one.sql;
  }
}

TEST_F(Advanced, IsBoundedLikeEveryAnswer) {
  const WireMessage answer(
      server.call("advanced_query", R"({"dataset":"2023_BUDGET_LAW","sql":"select * from data"})"));
  EXPECT_EQ(answer.text({"method"}), "handle");
}

// `statement_stacking`, `disguised_write`, `reading_function`, `engine_escape`: text of a caller reads `data`
// and nothing else.
TEST_F(Advanced, RefusesEverythingButOneSelectOverTheData) {
  for (const char* sql : {
           "COPY data TO '/tmp/stolen.csv'",
           "EXPORT DATABASE '/tmp/stolen'",
           "ATTACH '/tmp/x.db'",
           "SET threads=1",
           "select 1; select 2",
           "select * from read_text('/etc/passwd')",
           "select * from '/etc/passwd'",
           "select * from glob('/*')",
           "PRAGMA version",
           "INSTALL httpfs",
           "select getenv('HOME')",
           "select * from duckdb_settings()",
           "select current_setting('threads')",
           "select repeat('x', 1000000000)",
           "select * from range(10000000000)",
           "delete from data",
           "create table t(i int)",
           "/* */ COPY data TO 'x'",
           "select * from main.data",
           "",
       }) {
    const std::string code = refused(sql);
    EXPECT_TRUE(code == "invalid_sql" || code == "invalid_expression") << sql << ": " << code;
  }
  EXPECT_EQ(refused("with recursive t as (select 1 union all select * from t) select * from t"),
            "unsupported_clause");
  EXPECT_EQ(refused("select no_such from data"), "invalid_column");
  EXPECT_EQ(server.code("advanced_query", R"({"dataset":"2023_BUDGET_LAW"})"), "invalid_arguments");
  EXPECT_EQ(
      server.code("advanced_query", R"j({"dataset":"2023_BUDGET_LAW","polars_expr":"__import__('os')"})j"),
      "invalid_expression");
}

}  // namespace
}  // namespace sluice::datasets::testing
