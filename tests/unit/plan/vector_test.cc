// Every kind of condition and every aggregate, over every combination of edge values of every type: the
// database keeps and computes what the engine does, whenever it is asked.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/plan/engine_sql.h"

#include "plan_vectors.h"

namespace sluice::plan::testing {
namespace {

TEST_P(PlanVectors, ConditionsKeepTheSameEdgeValues) {
  std::string sql;
  for (const SampleColumn& sample : bench().samples()) sql += edge_sql("edge_", sample);
  bench().run("BEGIN;" + sql + "COMMIT;");
  for (const SampleColumn& sample : bench().samples()) {
    const LoadedTable table = bench().load("edge_" + sample.name);
    std::vector<NodePtr> plans;
    for (Condition& condition : conditions_of(sample, table))
      plans.push_back(filter(table.scan(), std::move(condition)).value());
    check(plans, table);
  }
  EXPECT_GT(printed(), 2'000);
  expect_vectors(is_condition);
  std::printf("%d conditions\n", printed());
}

// The rows that a wider condition keeps include those that the engine keeps.
TEST_P(PlanVectors, SupersetsLeaveOutNoRow) {
  std::set<const Overload*> compared;
  for (const SampleColumn& sample : bench().samples()) {
    bench().run("BEGIN;" + edge_sql("wide_", sample) + "COMMIT;");
    const LoadedTable table = bench().load("wide_" + sample.name);
    const Target target = table.target(bench().dialect());
    for (const Condition& condition : conditions_of(sample, table)) {
      const Overload* overload =
          find_overload(function_of(condition), class_of(table.layout.columns[1], target.dialect));
      if (overload == nullptr || overload->in(target.dialect) != Support::kSuperset) continue;
      const std::optional<Condition> wider = pushable(condition, target);
      if (!wider) continue;
      compared.insert(overload);
      const auto ids = [&](const Condition& kept) {
        return project(filter(table.scan(), kept).value(), {0}).value();
      };
      const Result<Answer> database = bench().in_database(fragment(runnable(*ids(*wider)), target).value());
      const Result<Answer> engine = bench().in_engine(*ids(condition), table);
      ASSERT_TRUE(database.ok() && engine.ok());
      EXPECT_THAT(database->rows, ::testing::IsSupersetOf(engine->rows)) << to_text(condition, table.columns);
    }
  }
  for (const Overload& overload : overloads()) {
    if (overload.in(bench().dialect()) == Support::kSuperset) {
      EXPECT_TRUE(compared.contains(&overload)) << name_of(overload);
    }
  }
}

constexpr AggregateFunction kFunctions[] = {
    AggregateFunction::kCountRows, AggregateFunction::kCount,     AggregateFunction::kCountDistinct,
    AggregateFunction::kMin,       AggregateFunction::kMax,       AggregateFunction::kSum,
    AggregateFunction::kAvg,       AggregateFunction::kMedian,    AggregateFunction::kBoolAnd,
    AggregateFunction::kBoolOr,    AggregateFunction::kSumOrZero, AggregateFunction::kCountDistinctWithNull};

// The engine makes booleans of what is none, or fails.
bool is_boolean(AggregateFunction function) {
  return function == AggregateFunction::kBoolAnd || function == AggregateFunction::kBoolOr;
}

// PostgreSQL fails if a sum of finite doubles is not finite; see the last test.
NodePtr without_largest(const LoadedTable& table, AggregateFunction function) {
  constexpr std::size_t kValue = 2;
  const bool adds = function == AggregateFunction::kSum || function == AggregateFunction::kAvg ||
                    function == AggregateFunction::kSumOrZero;
  if (!adds || table.columns[kValue].type.id != engine::TypeId::kDouble) return table.scan();
  const json::Value largest(json::Number{"1.7976931348623157e308"});
  return filter(table.scan(),
                any_of({compare(table.columns, kValue, Sign::kNeq, largest).value(), is_null(kValue)}))
      .value();
}

TEST_P(PlanVectors, AggregatesOfEveryPairAndTripleAreTheSame) {
  std::string sql;
  for (const SampleColumn& sample : bench().samples()) sql += groups_sql("groups_" + sample.name, sample);
  bench().run("BEGIN;" + sql + "COMMIT;");
  for (const SampleColumn& sample : bench().samples()) {
    const LoadedTable table = bench().load("groups_" + sample.name);
    for (const AggregateFunction function : kFunctions) {
      if (is_boolean(function) && table.columns[2].type.id != engine::TypeId::kBool) continue;
      const NodePtr plan = aggregate(without_largest(table, function), {1},
                                     {{.function = function, .column = 2, .name = "result"}})
                               .value();
      check({plan}, table);
    }
    // The groups themselves, and distinct values.
    check({aggregate(table.scan(), {2}, {{.function = AggregateFunction::kCountRows, .name = "n"}}).value()},
          table);
    check({distinct(project(table.scan(), {2}).value())}, table);
    check({distinct(project(table.scan(), {2, 1}).value())}, table);
  }
  EXPECT_GT(printed(), 50);
  expect_vectors([](Function function) { return is_aggregate(function) || function == Function::kGroupKey; });
  std::printf("%d aggregates\n", printed());
}

TEST_P(PlanVectors, SortKeysGiveTheSameOrder) {
  for (const SampleColumn& sample : bench().samples()) {
    const SampleTable shape{.name = "order_" + sample.name, .columns = {sample}, .rows = 120};
    bench().run("BEGIN;" + table_sql(shape) + "COMMIT;");
    const LoadedTable table = bench().load(shape.name);
    std::vector<NodePtr> plans;
    for (const bool descending : {false, true}) {
      const std::vector<SortKey> by_value = {{.column = 1, .descending = descending}};
      plans.push_back(sort(table.scan(), by_value, true).value());
      // Of groups: by the value itself, and by sums of small integers, of which none are equal.
      const NodePtr groups = aggregate(table.scan(), {1}, {{AggregateFunction::kMax, 0, "largest"}}).value();
      plans.push_back(sort(groups, by_value, false).value());
      plans.push_back(sort(aggregate(table.scan(), {0}, {{AggregateFunction::kSum, 0, "total"}}).value(),
                           {{.column = 1, .descending = descending}}, false)
                          .value());
    }
    for (const NodePtr& plan : plans) {
      const std::optional<engine::Select> select = fragment(runnable(*plan), table.target(bench().dialect()));
      if (!select) continue;
      note(*plan, table);
      Result<Answer> database = bench().in_database(*select);
      Result<Answer> engine = bench().in_engine(*plan, table);
      ASSERT_TRUE(database.ok() && engine.ok()) << to_text(select->statement);
      forget_signs_of_zeros(*database);
      forget_signs_of_zeros(*engine);
      EXPECT_EQ(database->rows, engine->rows)
          << difference(*plan, select->statement, engine_sql(runnable(*plan)), *database, *engine);
    }
  }
  expect_vectors([](Function function) { return function == Function::kSortKey; });
}

TEST_P(PlanVectors, AveragesOfManyIntegersAreTheSameInTheLastDigit) {
  constexpr int kRows = 60'000;
  std::mt19937_64 random(5);
  std::string sql =
      "CREATE TABLE many (id INTEGER PRIMARY KEY, g INTEGER, s SMALLINT, i INTEGER, l BIGINT, h BIGINT);";
  for (int row = 0; row < kRows; ++row) {
    const auto bits = static_cast<std::int64_t>(random());
    sql += fmt::format("{} ({}, {}, {}, {}, {}, {})", row % 500 == 0 ? ";INSERT INTO many VALUES" : ",", row,
                       row / 7, static_cast<std::int16_t>(bits), static_cast<std::int32_t>(bits),
                       bits % 1'000'000'000, bits);
  }
  bench().run("BEGIN;" + sql + ";COMMIT;");
  const LoadedTable table = bench().load("many");
  for (std::size_t column = 2; column < table.columns.size(); ++column) {
    for (const AggregateFunction function : {AggregateFunction::kAvg, AggregateFunction::kMedian}) {
      check({aggregate(table.scan(), {1}, {{.function = function, .column = column, .name = "result"}})
                 .value()},
            table);
    }
  }
}

// Both fail rather than show a wrong number, except for doubles: there the engine says Infinity.
TEST_P(PlanVectors, ASumThatOverflowsItsTypeIsNeverANumber) {
  if (bench().dialect() == engine::Dialect::kSqlite) {
    const LoadedTable table = [&] {
      bench().run("CREATE TABLE large (id INTEGER PRIMARY KEY, r REAL); INSERT INTO large VALUES (1, 1e308)");
      return bench().load("large");
    }();
    EXPECT_FALSE(fragment(runnable(*aggregate(table.scan(), {}, {{AggregateFunction::kSum, 1, "s"}}).value()),
                          table.target(bench().dialect())));
    return;
  }
  const std::string nines(38, '9');
  bench().run(
      fmt::format("CREATE TABLE large (id integer PRIMARY KEY, w numeric(38,0), r double precision); "
                  "INSERT INTO large VALUES (1, {0}, 1.7e308), (2, {0}, 1.7e308)",
                  nines));
  const LoadedTable table = bench().load("large");
  for (const std::size_t column : {1U, 2U}) {
    const NodePtr plan = aggregate(table.scan(), {}, {{AggregateFunction::kSum, column, "s"}}).value();
    const std::optional<engine::Select> select = fragment(runnable(*plan), table.target(bench().dialect()));
    ASSERT_TRUE(select);
    EXPECT_FALSE(bench().in_database(*select).ok());
    const Result<Answer> engine = bench().in_engine(*plan, table);
    EXPECT_TRUE(!engine.ok() || engine->rows == TextRows{{R"("Infinity")"}})
        << (engine.ok() ? engine->rows[0][0] : "");
  }
}

INSTANTIATE_TEST_SUITE_P(Sqlite, PlanVectors, ::testing::Values(Server::kSqlite));
INSTANTIATE_TEST_SUITE_P(Postgres15, PlanVectors, ::testing::Values(Server::kPostgres15));
INSTANTIATE_TEST_SUITE_P(Postgres18, PlanVectors, ::testing::Values(Server::kPostgres18));

}  // namespace
}  // namespace sluice::plan::testing
