// Functions of the values of a row, over every combination of edge values of every type: the database
// computes what the engine does, whenever it is asked.

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/json/reader.h"

#include "plan_vectors.h"

namespace sluice::plan::testing {
namespace {

// Plans of one type of answer each, so that they are asked together.
std::vector<NodePtr> scalar_plans(const LoadedTable& table, const std::vector<ScalarCall>& calls) {
  std::vector<NodePtr> out;
  for (const ScalarCall& call : calls) {
    const Result<NodePtr> computed = compute(table.scan(), {call});
    if (computed.ok()) out.push_back(project(*computed, {0, table.columns.size()}).value());
  }
  return out;
}

Argument column_at(std::size_t column) { return {.column = column, .constant = {}}; }

std::optional<Argument> constant_of(const std::string& text, const engine::Type& type) {
  const json::Value value = json::read(text).value();
  const Result<Operand> operand = resolve_operand({.name = "x", .type = type}, value);
  if (!operand.ok() || operand->place != Operand::Place::kEqual) return std::nullopt;
  return Argument{.column = {}, .constant = Constant{.given = value, .operand = *operand}};
}

TEST_P(PlanVectors, DateFunctionsOfEveryEdgeValueAreTheSame) {
  for (const SampleColumn& sample : bench().samples()) {
    bench().run("BEGIN;" + edge_sql("dates_", sample) + "COMMIT;");
    const LoadedTable table = bench().load("dates_" + sample.name);
    std::vector<ScalarCall> numbers;
    std::vector<ScalarCall> moments;
    for (const ScalarFunction function :
         {ScalarFunction::kYear, ScalarFunction::kQuarter, ScalarFunction::kMonth, ScalarFunction::kDay,
          ScalarFunction::kIsodow})
      numbers.push_back({.function = function,
                         .arguments = {column_at(1)},
                         .type = date_result(function),
                         .name = "result"});
    for (std::size_t part = 0; part < kDateParts; ++part)
      moments.push_back({.function = ScalarFunction::kDateTrunc,
                         .part = static_cast<DatePart>(part),
                         .arguments = {column_at(1)},
                         .type = date_result(ScalarFunction::kDateTrunc),
                         .name = "result"});
    check(scalar_plans(table, numbers), table);
    check(scalar_plans(table, moments), table);
  }
  expect_vectors([](Function function) {
    return is_scalar(function) && function != Function::kCoalesce && function != Function::kCase;
  });
  std::printf("%d date functions\n", printed());
}

// Of every pair of edge values, and of an edge value and a constant.
TEST_P(PlanVectors, ChoicesBetweenEdgeValuesAreTheSame) {
  constexpr std::size_t kFirst = 1;
  constexpr std::size_t kSecond = 2;
  constexpr std::size_t kConditions = 25;
  for (const SampleColumn& sample : bench().samples()) {
    bench().run("BEGIN;" + pairs_sql("choices_" + sample.name, sample) + "COMMIT;");
    const LoadedTable table = bench().load("choices_" + sample.name);
    const engine::Type& type = table.columns[kFirst].type;
    const auto choice = [&](std::vector<Argument> arguments, std::vector<Condition> conditions) {
      return ScalarCall{.function = conditions.empty() ? ScalarFunction::kCoalesce : ScalarFunction::kCase,
                        .arguments = std::move(arguments),
                        .conditions = std::move(conditions),
                        .type = type,
                        .name = "result"};
    };
    std::vector<ScalarCall> calls = {choice({column_at(kFirst), column_at(kSecond)}, {})};
    std::vector<Argument> constants;
    for (const std::string& text : sample.constants) {
      const std::optional<Argument> constant = constant_of(text, type);
      if (!constant) continue;
      constants.push_back(*constant);
      calls.push_back(choice({column_at(kFirst), column_at(kSecond), *constant}, {}));
      calls.push_back(choice({*constant, column_at(kSecond)}, {is_null(kFirst)}));
    }
    const std::vector<Condition> conditions = conditions_of(sample, table);
    const std::size_t step = 1 + conditions.size() / kConditions;  // They have vectors of their own.
    for (std::size_t i = 0; i < conditions.size(); i += step) {
      const Condition& condition = conditions[i];
      calls.push_back(choice({column_at(kFirst), column_at(kSecond)}, {condition}));
      calls.push_back(choice({column_at(kSecond), Argument{}}, {condition}));
      if (constants.size() > 1)
        calls.push_back(
            choice({constants[0], column_at(kSecond), constants[1]}, {condition, is_null(kSecond)}));
    }
    check(scalar_plans(table, calls), table);
  }
  EXPECT_GT(printed(), 1'000);
  expect_vectors(
      [](Function function) { return function == Function::kCoalesce || function == Function::kCase; });
  std::printf("%d choices\n", printed());
}

// Such dates are shown as text. What is computed of them is what the engine would compute of the dates.
TEST_P(PlanVectors, DatesBeforeChristHaveTheSameYears) {
  if (bench().dialect() == engine::Dialect::kSqlite) return;
  const std::vector<std::pair<std::string, std::string>> dates = {{"0044-03-15 BC", "0044-03-15 (BC)"},
                                                                  {"0001-12-31 BC", "0001-12-31 (BC)"},
                                                                  {"0001-01-01", "0001-01-01"},
                                                                  {"4713-01-01 BC", "4713-01-01 (BC)"},
                                                                  {"infinity", "infinity"},
                                                                  {"-infinity", "-infinity"},
                                                                  {"20000-02-29", "20000-02-29"}};
  std::string theirs = "CREATE TABLE old (id integer PRIMARY KEY, d date, s timestamp);";
  std::string ours;
  for (std::size_t i = 0; i < dates.size(); ++i) {
    theirs += fmt::format("INSERT INTO old VALUES ({0}, '{1}', '{1}');", i, dates[i].first);
    ours += fmt::format("{}({}, DATE '{}')", ours.empty() ? "" : ", ", i, dates[i].second);
  }
  bench().run(theirs);
  const LoadedTable table = bench().describe("old");
  for (const std::size_t column : {1U, 2U}) {
    for (const ScalarFunction function :
         {ScalarFunction::kYear, ScalarFunction::kQuarter, ScalarFunction::kMonth, ScalarFunction::kDay,
          ScalarFunction::kIsodow}) {
      const ScalarCall call{.function = function,
                            .arguments = {column_at(column)},
                            .type = date_result(function),
                            .name = "result"};
      const std::optional<engine::Select> select =
          fragment(runnable(*scalar_plans(table, {call}).front()), table.target(bench().dialect()));
      ASSERT_TRUE(select);
      const Result<Answer> database = bench().in_database(*select);
      const Result<Answer> engine = bench().in_engine(
          fmt::format("SELECT id, {}({}) FROM (VALUES {}) AS old(id, d) ORDER BY id",
                      name_of(function_of(function)), column == 1 ? "d" : "CAST(d AS TIMESTAMP)", ours));
      ASSERT_TRUE(database.ok()) << database.error().message;
      ASSERT_TRUE(engine.ok()) << engine.error().message;
      EXPECT_EQ(database->rows, engine->rows) << to_text(select->statement);
    }
  }
}

}  // namespace
}  // namespace sluice::plan::testing
