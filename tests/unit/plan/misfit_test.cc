// Columns of SQLite whose type comes from a sample, with values behind it that the type does not have.

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "plan_bench.h"

namespace sluice::plan::testing {
namespace {

constexpr int kSampled = 1'100;  // The sample is of 1,000 rows.

// The cells of the last rows do not fit.
std::string table_of(const std::string& name, const std::string& declared, const std::string& cell,
                     const std::vector<std::string>& misfits) {
  std::string sql = fmt::format("CREATE TABLE {} (id INTEGER PRIMARY KEY, v {});\n", name, declared);
  sql += fmt::format(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {}) INSERT INTO {} SELECT i, "
      "{} "
      "FROM n;\n",
      kSampled, name, cell);
  for (const std::string& misfit : misfits)
    sql += fmt::format("INSERT INTO {} (v) VALUES ({});\n", name, misfit);
  return sql;
}

class MisfitPlans : public ::testing::Test {
 protected:
  // Whether the plan runs in the database as the table was described before anything was learned.
  Result<Answer> run(const NodePtr& plan, const LoadedTable& table) {
    const std::optional<engine::Select> select =
        fragment(runnable(*plan), table.target(engine::Dialect::kSqlite));
    if (!select) return unsupported("the plan is not printed");
    return bench.in_database(*select);
  }

  void expect_refusals(const LoadedTable& table) {
    const std::vector<NodePtr> plans = {
        aggregate(table.scan(), {}, {{AggregateFunction::kMin, 1, "x"}}).value(),
        aggregate(table.scan(), {}, {{AggregateFunction::kMax, 1, "x"}}).value(),
        aggregate(table.scan(), {}, {{AggregateFunction::kCountDistinct, 1, "x"}}).value(),
        aggregate(table.scan(), {1}, {{AggregateFunction::kCountRows, 0, "x"}}).value(),
        distinct(project(table.scan(), {1}).value()),
        project(table.scan(), {1}).value(),
        sort(table.scan(), {{.column = 1, .descending = false}}, true).value(),
    };
    for (const NodePtr& plan : plans) {
      const Result<Answer> answer = run(plan, table);
      // The least boolean is not asked for.
      EXPECT_THAT(answer.ok() ? "(worked)" : answer.error().code,
                  ::testing::AnyOf("column_type_changed", "unsupported"))
          << to_json(*plan);
      if (!answer.ok() && answer.error().code == "column_type_changed") ++refused;
    }
  }

  PlanBench bench{Server::kSqlite};
  int refused = 0;
};

TEST_F(MisfitPlans, AValueThatDoesNotFitIsNeverPassedOver) {
  bench.run("BEGIN;" + table_of("whole", "INTEGER", "i % 5", {"'abc'"}) +
            table_of("fraction", "INTEGER", "i % 5", {"1.5"}) +
            table_of("real_text", "REAL", "i + 0.5", {"'abc'"}) +
            table_of("real_large", "NUMERIC", "i + 0.5", {"9007199254740993"}) +
            table_of("flag", "BOOLEAN", "i % 2", {"2"}) + "COMMIT;");
  for (const char* name : {"whole", "fraction", "real_text", "real_large", "flag"}) {
    SCOPED_TRACE(name);
    const LoadedTable table = bench.describe(name);
    EXPECT_NE(table.columns[1].type.id, engine::TypeId::kText);
    expect_refusals(table);
  }
  EXPECT_EQ(refused, 5 * 7 - 2);
}

// Rows that meet by such a value, or that are kept although they meet none, would show that it is there.
TEST_F(MisfitPlans, AKeyThatDoesNotFitIsNeverPassedOver) {
  bench.run("BEGIN;" + table_of("few", "INTEGER", "i % 5", {"'abc'"}) +
            table_of("more", "INTEGER", "i", {"'abc'"}) + "COMMIT;");
  const LoadedTable few = bench.describe("few");
  const LoadedTable more = bench.describe("more");
  const Targets targets = {{"few", few.target(engine::Dialect::kSqlite)},
                           {"more", more.target(engine::Dialect::kSqlite)}};
  for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft}) {
    const NodePtr joined =
        join(kind, scan("few", few.columns), scan("more", more.columns), {{.left = 1, .right = 1}}).value();
    const NodePtr plan = aggregate(joined, {}, {{AggregateFunction::kCountRows, 0, "n"}}).value();
    const std::optional<engine::Select> select = fragment(runnable(*plan), targets);
    ASSERT_TRUE(select);
    const Result<Answer> answer = bench.in_database(*select);
    EXPECT_EQ(answer.ok() ? "(worked)" : answer.error().code, "column_type_changed") << select->statement.sql;
    EXPECT_EQ(columns_read(*plan).at("more"), std::set<std::size_t>{1});
  }
}

// Only the numbers of the rows are selected, so that no value is decoded: what is compared is which rows are
// kept before and after the type of the column is known.
TEST_F(MisfitPlans, ConditionsKeepTheSameRowsOnceTheTypeIsKnown) {
  const std::vector<std::string> misfits = {"'abc'", "''",  "x'61'", "1.5", "-0.5", "9007199254740993",
                                            "'x1'",  "NULL"};
  bench.run("BEGIN;" + table_of("whole", "INTEGER", "i % 9 - 4", misfits) +
            table_of("number", "NUMERIC", "i % 9 - 4.5", misfits) + "COMMIT;");
  int compared = 0;
  for (const char* name : {"whole", "number"}) {
    const LoadedTable before = bench.describe(name);
    ASSERT_NE(before.columns[1].type.id, engine::TypeId::kText);
    const LoadedTable after = bench.load(name);
    ASSERT_EQ(after.columns[1].type.id, engine::TypeId::kText);
    for (const char* text : {"0", "1", "-1", "1.5", "0.5", "-0.5", "3.25", "9007199254740992",
                             "9007199254740993", "9007199254740994", "1e19", "-1e19", "-5", "1e-400"}) {
      const json::Value value = json::read(text).value();
      std::vector<std::pair<Condition, Condition>> conditions;
      for (const Sign sign : {Sign::kEq, Sign::kNeq, Sign::kGt, Sign::kGte, Sign::kLt, Sign::kLte})
        conditions.emplace_back(compare(before.columns, 1, sign, value).value(),
                                compare(after.columns, 1, sign, value).value());
      conditions.emplace_back(in_list(before.columns, 1, {value, json::Value(2)}).value(),
                              in_list(after.columns, 1, {value, json::Value(2)}).value());
      for (const auto& [first, second] : conditions) {
        const NodePtr plan = project(filter(before.scan(), first).value(), {0}).value();
        const Result<Answer> database = run(plan, before);
        if (!database.ok() && database.error().kind == ErrorKind::kUnsupported) continue;
        const Result<Answer> engine =
            bench.in_engine(*project(filter(after.scan(), second).value(), {0}).value(), after);
        ASSERT_TRUE(database.ok() && engine.ok());
        ++compared;
        EXPECT_EQ(database->rows, engine->rows) << name << " " << to_json(*plan).substr(0, 300);
      }
    }
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace sluice::plan::testing
