#include "plan_vectors.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/json/reader.h"
#include "sluice/plan/engine_sql.h"

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

}  // namespace

std::string edge_sql(const std::string& prefix, const SampleColumn& sample) {
  const SampleTable table{.name = prefix + sample.name, .columns = {sample}, .rows = 0};
  std::string sql = table_sql(table);
  for (std::size_t i = 0; i < sample.cells.size(); ++i)
    sql += fmt::format("INSERT INTO {} VALUES ({}, {});\n", table.name, i, sample.cells[i]);
  return sql;
}

void PlanVectors::check(const std::vector<NodePtr>& plans, const LoadedTable& table) {
  for (std::size_t from = 0; from < plans.size(); from += kBatch)
    check_batch({plans.begin() + static_cast<std::ptrdiff_t>(from),
                 plans.begin() + static_cast<std::ptrdiff_t>(std::min(plans.size(), from + kBatch))},
                table);
}

std::vector<Condition> PlanVectors::conditions_of(const SampleColumn& sample, const LoadedTable& table) {
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

void PlanVectors::note(const Node& plan, const LoadedTable& table) {
  for (const Overload* overload : overloads_of(plan, table.target(bench_.dialect())))
    compared_.insert(overload);
}

void PlanVectors::check_batch(const std::vector<NodePtr>& plans, const LoadedTable& table) {
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
    Answer right{.columns = {engine->columns.begin() + 1, engine->columns.end()}, .rows = of_engine[number]};
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

}  // namespace sluice::plan::testing
