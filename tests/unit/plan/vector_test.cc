// Every kind of condition and every aggregate, over every combination of edge values of every type: the
// database keeps and computes what the engine does, whenever it is asked.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/json/reader.h"
#include "sluice/plan/engine_sql.h"

#include "plan_bench.h"
#include "plan_overloads.h"

namespace sluice::plan::testing {
namespace {

using engine::Statement;

constexpr std::size_t kBatch = 60;  // SQLite joins at most 100 statements by UNION ALL.
constexpr int kFailuresShown = 25;

// Placeholders begin behind those of the statements before. No name in these tests has a "$".
std::string shifted(const std::string& sql, std::size_t by) {
  std::string out;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    out += sql[i];
    if (sql[i] != '$') continue;
    std::size_t end = i + 1;
    while (end < sql.size() && sql[end] >= '0' && sql[end] <= '9') ++end;
    out += std::to_string(std::stoul(sql.substr(i + 1, end - i - 1)) + by);
    i = end - 1;
  }
  return out;
}

// Statements of equal columns as one.
class UnionOfStatements {
 public:
  void add(const Statement& statement) {
    out_.sql += fmt::format("{}SELECT {} AS q, part.* FROM ({}) AS part", count_ == 0 ? "" : " UNION ALL ",
                            count_, shifted(statement.sql, out_.parameters.size()));
    out_.parameters.insert(out_.parameters.end(), statement.parameters.begin(), statement.parameters.end());
    ++count_;
  }
  const Statement& statement() const { return out_; }

 private:
  Statement out_;
  std::size_t count_ = 0;
};

// The answer of each statement, by the first column.
std::map<std::string, TextRows> by_statement(const Answer& answer) {
  std::map<std::string, TextRows> out;
  for (const std::vector<std::string>& row : answer.rows)
    out[row.front()].emplace_back(row.begin() + 1, row.end());
  for (auto& [number, rows] : out) std::sort(rows.begin(), rows.end());
  return out;
}

class PlanVectors : public ::testing::TestWithParam<Server> {
 protected:
  void check(const std::vector<NodePtr>& plans, const LoadedTable& table) {
    for (std::size_t from = 0; from < plans.size(); from += kBatch)
      check_batch({plans.begin() + static_cast<std::ptrdiff_t>(from),
                   plans.begin() + static_cast<std::ptrdiff_t>(std::min(plans.size(), from + kBatch))},
                  table);
  }

  std::vector<Condition> conditions_of(const SampleColumn& sample, const LoadedTable& table) {
    constexpr std::size_t kValue = 1;
    std::vector<Condition> out = {is_null(kValue), is_not_null(kValue), {.kind = Condition::Kind::kNever}};
    json::Array usable;
    for (const std::string& text : sample.constants) {
      const Result<json::Value> read = json::read(text);
      if (!read.ok()) ADD_FAILURE() << text << read.error().message;
      const json::Value value = read.ok() ? *read : json::Value();
      if (!compare(table.columns, kValue, Sign::kEq, value).ok()) continue;
      usable.push_back(value);
      for (const Sign sign : {Sign::kEq, Sign::kNeq, Sign::kGt, Sign::kGte, Sign::kLt, Sign::kLte})
        out.push_back(compare(table.columns, kValue, sign, value).value());
    }
    for (std::size_t i = 0; i < usable.size(); ++i) {
      for (std::size_t j = 0; j <= i; ++j)
        out.push_back(in_list(table.columns, kValue, {usable[i], usable[j]}).value());
      json::Array many = usable;
      many.erase(many.begin() + static_cast<std::ptrdiff_t>(i));
      out.push_back(in_list(table.columns, kValue, many).value());
      for (std::size_t k = 0; many.size() <= 80 && k < many.size(); ++k) many.push_back(json::Value(many[k]));
      out.push_back(in_list(table.columns, kValue, many).value());
    }
    for (const std::string& pattern : sample.patterns) {
      for (const Condition::Kind kind : {Condition::Kind::kContains, Condition::Kind::kStartsWith,
                                         Condition::Kind::kEndsWith, Condition::Kind::kNormalizedContains})
        out.push_back({.kind = kind, .column = kValue, .text = pattern});
    }
    return out;
  }

  // Whether each of these functions was compared for every type that the database computes it for.
  template <typename IsWanted>
  void expect_vectors(const IsWanted& is_wanted) {
    for (const Overload& overload : overloads()) {
      if (!is_wanted(overload.function) || overload.in(bench_.dialect()) != Support::kExact) continue;
      EXPECT_TRUE(compared_.contains(&overload)) << name_of(overload) << " has no vectors";
    }
  }
  void note(const Node& plan, const LoadedTable& table) {
    for (const Overload* overload : overloads_of(plan, table.target(bench_.dialect())))
      compared_.insert(overload);
  }

  int printed() const { return printed_; }
  PlanBench& bench() { return bench_; }

 private:
  void check_batch(const std::vector<NodePtr>& plans, const LoadedTable& table) {
    UnionOfStatements theirs;
    UnionOfStatements ours;
    std::vector<std::pair<NodePtr, engine::Select>> asked;
    std::vector<engine::Field> columns = {{.name = "q", .type = {.id = engine::TypeId::kInt32}}};
    for (const NodePtr& plan : plans) {
      std::optional<engine::Select> select = fragment(runnable(*plan), table.target(bench_.dialect()));
      if (!select) continue;
      theirs.add(select->statement);
      ours.add(engine_sql(runnable(*plan)));
      asked.emplace_back(plan, *std::move(select));
      note(*plan, table);
    }
    if (asked.empty()) return;
    printed_ += static_cast<int>(asked.size());
    columns.insert(columns.end(), asked[0].second.columns.begin(), asked[0].second.columns.end());
    const Result<Answer> database =
        bench_.in_database({.statement = theirs.statement(), .columns = columns, .table = {}});
    const Result<Answer> engine = bench_.in_engine(ours.statement(), table);
    ASSERT_TRUE(database.ok()) << database.error().message << to_text(theirs.statement());
    ASSERT_TRUE(engine.ok()) << engine.error().message << to_text(ours.statement());
    std::map<std::string, TextRows> of_database = by_statement(*database);
    std::map<std::string, TextRows> of_engine = by_statement(*engine);
    EXPECT_THAT(engine->columns, ::testing::ElementsAreArray(database->columns));
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const std::string number = std::to_string(i);
      Answer left{.columns = {database->columns.begin() + 1, database->columns.end()},
                  .rows = of_database[number]};
      Answer right{.columns = {engine->columns.begin() + 1, engine->columns.end()},
                   .rows = of_engine[number]};
      if (!is_plain(*asked[i].first)) {
        forget_signs_of_zeros(left);
        forget_signs_of_zeros(right);
      }
      std::sort(left.rows.begin(), left.rows.end());
      std::sort(right.rows.begin(), right.rows.end());
      if (are_equal(left.rows, right.rows, inexact_columns(*asked[i].first))) continue;
      if (++different_ > kFailuresShown) continue;
      ADD_FAILURE() << difference(*asked[i].first, asked[i].second.statement,
                                  engine_sql(runnable(*asked[i].first)), left, right);
    }
  }

  PlanBench bench_{GetParam()};
  int printed_ = 0;
  int different_ = 0;
  std::set<const Overload*> compared_;
};

TEST_P(PlanVectors, ConditionsKeepTheSameEdgeValues) {
  std::string sql;
  for (const SampleColumn& sample : bench().samples()) {
    SampleTable table{.name = "edge_" + sample.name, .columns = {sample}, .rows = 0};
    sql += table_sql(table);
    for (std::size_t i = 0; i < sample.cells.size(); ++i)
      sql += fmt::format("INSERT INTO {} VALUES ({}, {});\n", table.name, i, sample.cells[i]);
  }
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
    SampleTable shape{.name = "wide_" + sample.name, .columns = {sample}, .rows = 0};
    std::string sql = table_sql(shape);
    for (std::size_t i = 0; i < sample.cells.size(); ++i)
      sql += fmt::format("INSERT INTO {} VALUES ({}, {});\n", shape.name, i, sample.cells[i]);
    bench().run("BEGIN;" + sql + "COMMIT;");
    const LoadedTable table = bench().load(shape.name);
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
