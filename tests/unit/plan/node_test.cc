#include <cstdint>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"
#include "sluice/plan/engine_sql.h"
#include "sluice/plan/fragment.h"
#include "sluice/plan/plan.h"
#include "sluice/query/functions.h"

#include "plan_bench.h"

namespace sluice::plan {
namespace {

using engine::TypeId;
using testing::runnable;
using ::testing::SizeIs;

const Columns kColumns = {{.name = "a", .type = {.id = TypeId::kInt32}},
                          {.name = "b \"x\"", .type = {.id = TypeId::kText}},
                          {.name = "r", .type = {.id = TypeId::kDouble}}};

NodePtr table() { return scan("data", kColumns); }
AggregateCall call(AggregateFunction function, std::size_t column, std::string name) {
  return {.function = function, .column = column, .name = std::move(name)};
}
Condition a_is(int value) { return compare(kColumns, 0, Sign::kEq, json::Value(value)).value(); }

TEST(PlanNode, RefusesColumnsThatItsInputLacks) {
  EXPECT_EQ(filter(table(), is_null(3)).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(filter(table(), any_of({is_null(0), is_null(9)})).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(project(table(), {0, 3}).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(aggregate(table(), {3}, {}).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(aggregate(table(), {}, {call(AggregateFunction::kMin, 3, "m")}).error().kind,
            ErrorKind::kInternal);
  EXPECT_EQ(first_of_each(table(), {3}).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(sort(table(), {{.column = 3}}, true).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(join(JoinKind::kInner, table(), table(), {}).error().kind, ErrorKind::kInternal);
  EXPECT_EQ(join(JoinKind::kInner, table(), table(), {{.left = 0, .right = 3}}).error().kind,
            ErrorKind::kInternal);
  EXPECT_EQ(join(JoinKind::kLeft, table(), table(), {{.left = 0, .right = 1}}).error().kind,
            ErrorKind::kInternal);  // An integer and a text.
  // The columns are those of the input, not of the table.
  EXPECT_EQ(sort(project(table(), {2}).value(), {{.column = 1}}, true).error().kind, ErrorKind::kInternal);
  EXPECT_TRUE(aggregate(table(), {}, {call(AggregateFunction::kCountRows, 99, "n")}).ok());
}

TEST(PlanNode, IsItsInputIfItChangesNothing) {
  const NodePtr input = table();
  EXPECT_EQ(filter(input, {}).value(), input);
  EXPECT_EQ(sort(input, {}, false).value(), input);
  EXPECT_EQ(limit(input, std::nullopt, 0), input);
}

TEST(PlanNode, DerivesItsColumns) {
  const NodePtr groups = aggregate(table(), {1}, {call(AggregateFunction::kSum, 0, "s")}).value();
  ASSERT_THAT(groups->columns, SizeIs(2));
  EXPECT_EQ(groups->columns[0].name, "b \"x\"");
  EXPECT_EQ(groups->columns[1].name, "s");
  EXPECT_EQ(groups->columns[1].type.id, TypeId::kInt128);
  EXPECT_TRUE(is_grouped(*limit(groups, 1, 0)));
  EXPECT_FALSE(is_grouped(*table()));
  EXPECT_TRUE(is_engine_query(*limit(engine_query("SELECT 1", {table()}), 1, 0)));
  const NodePtr joined = join(JoinKind::kLeft, table(), groups, {{.left = 1, .right = 0}}).value();
  ASSERT_THAT(joined->columns, SizeIs(5));
  EXPECT_EQ(joined->columns[0].name, "c0");
  EXPECT_EQ(joined->columns[4].name, "c4");
  EXPECT_EQ(joined->columns[4].type.id, TypeId::kInt128);
  EXPECT_TRUE(has_join(*limit(filter(joined, is_null(4)).value(), 1, 0)));
  EXPECT_FALSE(has_join(*groups));
}

struct Shape {
  NodePtr plan;
  std::string sql;
};

std::vector<Shape> shapes() {
  const NodePtr kept = filter(table(), a_is(7)).value();
  const std::string where = R"( WHERE "a" = CAST($1 AS INTEGER))";
  const NodePtr groups = aggregate(kept, {1}, {call(AggregateFunction::kCountRows, 0, "n")}).value();
  const std::string grouped =
      R"(SELECT "b ""x""", count(*) AS "n" FROM data)" + where + R"( GROUP BY "b ""x""")";
  return {
      {table(), R"(SELECT "a", "b ""x""", "r" FROM data)"},
      {kept, R"(SELECT "a", "b ""x""", "r" FROM data)" + where},
      {project(kept, {2, 0}).value(), R"(SELECT "r", "a" FROM data)" + where},
      {sort(kept, {{.column = 1, .descending = true}, {.column = 0}}, true).value(),
       R"(SELECT "a", "b ""x""", "r" FROM numbered)" + where +
           R"( ORDER BY "b ""x""" DESC NULLS LAST, "a" ASC NULLS LAST, "sluice_row")"},
      {sort(table(), {{.column = 0}}, false).value(),
       R"(SELECT "a", "b ""x""", "r" FROM numbered ORDER BY "a" ASC NULLS LAST)"},
      {limit(project(table(), {0}).value(), 5, 2), R"(SELECT "a" FROM data)"},
      {first_of_each(kept, {1}).value(),
       R"(SELECT "a", "b ""x""", "r" FROM numbered)" + where +
           R"( QUALIFY row_number() OVER (PARTITION BY "b ""x""" ORDER BY "sluice_row") = 1)"},
      {distinct(project(table(), {1}).value()), R"(SELECT DISTINCT "b ""x""" FROM data)"},
      {sort(distinct(project(table(), {1}).value()), {{.column = 0}}, false).value(),
       R"(SELECT DISTINCT "b ""x""" FROM data ORDER BY "b ""x""" ASC NULLS LAST)"},
      {groups, grouped},
      {sort(groups, {{.column = 1, .descending = true}}, false).value(),
       grouped + R"( ORDER BY "n" DESC NULLS LAST)"},
      {project(sort(groups, {{.column = 1}}, false).value(), {0}).value(),
       R"(SELECT "b ""x""" FROM ()" + grouped + R"() AS answer ORDER BY "n" ASC NULLS LAST)"},
      {sort(filter(groups, is_not_null(1)).value(), {{.column = 1}}, false).value(),
       "SELECT * FROM (" + grouped + R"() AS answer WHERE "n" IS NOT NULL ORDER BY "n" ASC NULLS LAST)"},
      {project(filter(join(JoinKind::kLeft, kept, scan("other", kColumns), {{.left = 1, .right = 1}}).value(),
                      is_null(3))
                   .value(),
               {5, 0}, {"x", "c0"})
           .value(),
       R"(SELECT "c5" AS "x", "c0" AS "c0" FROM (SELECT "c0", "c1", "c2", "c3", "c4", "c5" FROM (SELECT t0."a" )"
       R"(AS "c0", t0."b ""x""" AS "c1", t0."r" AS "c2", t1."a" AS "c3", t1."b ""x""" AS "c4", t1."r" AS "c5" )"
       R"(FROM (SELECT * FROM data WHERE "a" = CAST($1 AS INTEGER)) AS t0 LEFT JOIN other AS t1 ON )"
       R"(t0."b ""x""" = t1."b ""x""") AS joined WHERE "c3" IS NULL) AS answer)"},
      {filter(table(), not_true(is_null(0))).value(),
       R"(SELECT "a", "b ""x""", "r" FROM data WHERE ("a" IS NULL) IS NOT TRUE)"},
      {sort(table(), {{.column = 0, .descending = true, .nulls_first = true, .order = {"7"}}}, true).value(),
       R"(SELECT "a", "b ""x""", "r" FROM numbered ORDER BY ("a" IS NULL) DESC, list_position($1, )"
       R"(CAST("a" AS VARCHAR)) DESC NULLS LAST, "sluice_row")"},
      {aggregate(table(), {}, {call(AggregateFunction::kMax, 0, "m")}).value(),
       R"(SELECT max("a") AS "m" FROM data)"},
      {engine_query("SELECT 1", {table()}), "SELECT 1"},
  };
}

TEST(PlanNode, IsPrintedForTheEngine) {
  for (const Shape& shape : shapes()) EXPECT_EQ(engine_sql(runnable(*shape.plan)).sql, shape.sql);
}

TEST(PlanNode, BindsEveryValue) {
  const Condition text{.kind = Condition::Kind::kContains, .column = 1, .text = "'; DROP TABLE data; --"};
  const engine::Statement statement = engine_sql(runnable(*filter(table(), all_of({a_is(7), text})).value()));
  EXPECT_EQ(statement.sql.find("DROP"), std::string::npos);
  EXPECT_THAT(statement.parameters, SizeIs(2));
}

// A sum or an average of doubles may differ in its last digit from that of the engine.
TEST(PlanNode, LeavesConditionsOnInexactValuesOfGroupsToTheEngine) {
  engine::TableLayout layout{.summary = {.name = {.schema = "public", .name = "t"}}};
  for (const engine::Field& column : kColumns)
    layout.columns.push_back(
        {.name = column.name, .type = column.type, .select = engine::quote_name(column.name)});
  const Target target{.dialect = engine::Dialect::kPostgres, .layout = layout, .columns = kColumns};
  for (const AggregateFunction function : {AggregateFunction::kSum, AggregateFunction::kAvg}) {
    for (const std::size_t column : {std::size_t{0}, std::size_t{2}}) {
      const NodePtr groups = aggregate(table(), {1}, {call(function, column, "s")}).value();
      const NodePtr kept =
          filter(groups, compare(groups->columns, 1, Sign::kGt, json::Value(1)).value()).value();
      EXPECT_TRUE(fragment(runnable(*groups), target));
      const bool is_average_of_integers = function == AggregateFunction::kAvg && column == 0;
      if (function == AggregateFunction::kAvg || column == 2) {
        EXPECT_EQ(fragment(runnable(*kept), target).has_value(), is_average_of_integers) << to_json(*kept);
      }
    }
  }
}

// Conditions and orders that no database evaluates as the engine does.
TEST(PlanNode, LeavesWhatOnlyTheEngineComparesToIt) {
  const Columns columns = {{.name = "a", .type = {.id = TypeId::kInt64}},
                           {.name = "b", .type = {.id = TypeId::kText}}};
  engine::TableLayout layout;
  for (const engine::Field& column : columns) {
    layout.columns.push_back({.name = column.name, .type = column.type, .declared = "TEXT"});
    layout.columns.back().select = engine::quote_name(column.name);
  }
  layout.columns[0].declared = "INTEGER";
  layout.row_order = "rowid";
  const NodePtr table = scan("data", columns);
  const Condition open = compare(columns, 1, Sign::kEq, "open").value();
  const auto with = [&](auto change) {
    Condition out = open;
    change(out);
    return out;
  };
  const std::vector<Condition> conditions = {
      not_true(open),
      not_true(is_null(0)),
      with([](Condition& one) { one.compares_text = true; }),
      with([](Condition& one) { one.kind = Condition::Kind::kHasElement; }),
      {.kind = Condition::Kind::kIsSimilar, .column = 1, .text = "open", .similarity = 0.5},
      {.kind = Condition::Kind::kContains, .column = 1, .text = "open", .ignores_case = true},
      {.kind = Condition::Kind::kEndsWith, .column = 1, .text = "open", .ignores_case = true}};
  for (const engine::Dialect dialect : {engine::Dialect::kSqlite, engine::Dialect::kPostgres}) {
    const Target target{.dialect = dialect, .layout = layout, .columns = columns};
    ASSERT_TRUE(pushable(open, target));
    ASSERT_TRUE(fragment(runnable(*sort(table, {{.column = 1}}, true).value()), target));
    for (const Condition& condition : conditions) {
      EXPECT_FALSE(pushable(condition, target)) << to_text(condition, columns);
      EXPECT_FALSE(fragment(runnable(*filter(table, condition).value()), target));
      // The rest of a conjunction is sent.
      EXPECT_EQ(to_text(pushable(all_of({condition, open}), target).value(), columns), "b = 'open'");
      EXPECT_FALSE(pushable(any_of({condition, open}), target));
    }
    EXPECT_FALSE(
        fragment(runnable(*sort(table, {{.column = 1, .order = {"x", "y"}}}, true).value()), target));
  }
}

TEST(PlanNode, KeepsTheRulesOfItsCallerWhenItCanRun) {
  const Guard guard(PolicyDigest{"north only"});
  const PhysicalPlan plan = physical_plan(table(), guard);
  EXPECT_EQ(plan.policy().text, "north only");
  EXPECT_EQ(plan.limited(3, 0).policy().text, "north only");
  EXPECT_TRUE(std::holds_alternative<Limit>(plan.limited(3, 0)->op));
  EXPECT_EQ(PhysicalPlan(), nullptr);
}

TEST(PlanNode, NamesItsRowsAsNoColumnIsNamed) {
  const engine::Type type{.id = TypeId::kInt32};
  EXPECT_EQ(row_column({{.name = "a", .type = type}}), "sluice_row");
  EXPECT_EQ(row_column({{.name = "SLUICE_ROW", .type = type}, {.name = "sluice_row_", .type = type}}),
            "sluice_row__");
}

TEST(PlanNode, HasTheSameJsonIfItIsEqualAndAnotherIfItDiffers) {
  std::vector<NodePtr> plans;
  for (const Shape& shape : shapes()) plans.push_back(shape.plan);
  plans.push_back(filter(table(), a_is(8)).value());
  plans.push_back(filter(table(), is_null(0)).value());
  plans.push_back(filter(table(), is_not_null(0)).value());
  plans.push_back(filter(table(), any_of({a_is(7), a_is(8)})).value());
  plans.push_back(filter(table(), all_of({a_is(7), a_is(8)})).value());
  plans.push_back(filter(table(), in_list(kColumns, 0, {json::Value(7), json::Value(8)}).value()).value());
  plans.push_back(filter(table(), compare(kColumns, 0, Sign::kLt, json::Value(7)).value()).value());
  plans.push_back(filter(table(), compare(kColumns, 0, Sign::kLte, json::Value(7)).value()).value());
  plans.push_back(filter(table(), compare(kColumns, 1, Sign::kEq, json::Value("7")).value()).value());
  plans.push_back(filter(table(), compare(kColumns, 1, Sign::kEq, json::Value(7)).value()).value());
  for (int kind = static_cast<int>(Condition::Kind::kContains);
       kind <= static_cast<int>(Condition::Kind::kMatches); ++kind) {
    for (const char* text : {"", "x"})
      plans.push_back(
          filter(table(), {.kind = static_cast<Condition::Kind>(kind), .column = 1, .text = text}).value());
  }
  plans.push_back(limit(table(), 5, 0));
  plans.push_back(limit(table(), 5, 1));
  plans.push_back(limit(table(), std::nullopt, 5));
  plans.push_back(sort(table(), {{.column = 0, .descending = true}}, false).value());
  plans.push_back(sort(table(), {{.column = 0}}, true).value());
  plans.push_back(scan("other", kColumns));
  plans.push_back(join(JoinKind::kInner, table(), table(), {{.left = 0, .right = 0}}).value());
  plans.push_back(join(JoinKind::kLeft, table(), table(), {{.left = 0, .right = 0}}).value());
  plans.push_back(join(JoinKind::kLeft, table(), table(), {{.left = 1, .right = 1}}).value());
  plans.push_back(join(JoinKind::kLeft, scan("other", kColumns), table(), {{.left = 0, .right = 0}}).value());
  plans.push_back(engine_query("SELECT 2", {table()}));
  plans.push_back(engine_query("SELECT 1", {table(), table()}));
  for (int function = 0; function < 12; ++function)
    plans.push_back(
        aggregate(table(), {2}, {call(static_cast<AggregateFunction>(function), 0, "m")}).value());
  std::set<std::string> texts;
  for (const NodePtr& plan : plans) {
    EXPECT_TRUE(texts.insert(to_json(*plan)).second) << to_json(*plan);
    EXPECT_EQ(to_json(*plan), to_json(Node(*plan)));
  }
}

TEST(PlanNode, HasTheTypesThatTheEngineDerives) {
  std::unique_ptr<engine::Engine> engine =
      std::move(engine::open_duckdb({.threads = 1, .functions = query::engine_functions()})).value();
  std::vector<engine::Type> types;
  for (const TypeId id :
       {TypeId::kBool,        TypeId::kInt8,        TypeId::kInt16,  TypeId::kInt32,  TypeId::kInt64,
        TypeId::kInt128,      TypeId::kUInt8,       TypeId::kUInt16, TypeId::kUInt32, TypeId::kUInt64,
        TypeId::kUInt128,     TypeId::kFloat,       TypeId::kDouble, TypeId::kDate,   TypeId::kTime,
        TypeId::kTimestampUs, TypeId::kTimestampTz, TypeId::kUuid,   TypeId::kText,   TypeId::kBlob,
        TypeId::kInterval})
    types.push_back({.id = id});
  for (const std::uint8_t width : std::initializer_list<std::uint8_t>{4, 9, 18, 38}) {
    types.push_back({.id = TypeId::kDecimal, .width = width, .scale = 0});
    types.push_back({.id = TypeId::kDecimal, .width = width, .scale = 3});
  }
  int known = 0;
  for (const engine::Type& type : types) {
    for (int number = 0; number < 12; ++number) {
      const auto function = static_cast<AggregateFunction>(number);
      const NodePtr plan =
          aggregate(scan("data", {{.name = "v", .type = type}}), {}, {call(function, 0, "m")}).value();
      const engine::Type derived = plan->columns[0].type;
      if (derived.id == TypeId::kOther) continue;
      const Result<engine::Description> described =
          engine->describe({.sql = fmt::format("WITH data AS (SELECT CAST(NULL AS {}) AS v) {}",
                                               engine::sql_name(type), engine_sql(runnable(*plan)).sql),
                            .parameters = {}});
      ASSERT_TRUE(described.ok()) << described.error().message;
      ++known;
      EXPECT_EQ(engine::sql_name(derived), engine::sql_name(described->columns[0].type))
          << number << " of " << engine::sql_name(type);
    }
  }
  EXPECT_GT(known, 150);
}

}  // namespace
}  // namespace sluice::plan
