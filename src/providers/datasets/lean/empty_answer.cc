#include "lean/empty_answer.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/query/statement.h"

#include "lean/ordered_text.h"
#include "lean/table_finder.h"

namespace sluice::datasets::lean {

namespace {

constexpr std::chrono::milliseconds kExplanationTime{300};
constexpr std::size_t kValuesShown = 8;
constexpr std::size_t kExplainedMax = 4;

using Part = query::StatementDataset::Part;

// Up to kValuesShown + 1 values that a SELECT over the table gives.
Result<std::vector<std::string>> read_texts(engine::Engine& engine, const Part& table, std::string sql,
                                            std::vector<engine::Parameter> parameters,
                                            const engine::RunLimits& limits) {
  expression::Question question;
  question.sql = std::move(sql);
  question.parameters = std::move(parameters);
  SLUICE_TRY(const query::Relation relation, table.dataset->open(*table.table, limits, &question));
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             engine.query(query::statement_of(question, *table.table, relation, std::nullopt), limits));
  std::vector<std::string> out;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      if (!batch->columns[0].is_null(row)) out.emplace_back(batch->columns[0].text(row));
    }
  }
}

std::string quoted_list(const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size() && i < kValuesShown; ++i)
    out += fmt::format("{}'{}'", i == 0 ? "" : ", ", excerpt(values[i], 40));
  return values.size() > kValuesShown ? out + ", …" : out;
}

// Empty: rows with this value exist, or nothing is known.
Result<std::string> explain(engine::Engine& engine, const Part& table,
                            const expression::TextEquality& equality, const engine::RunLimits& limits) {
  const std::string column = engine::quote_name(equality.column);
  SLUICE_TRY(
      const std::vector<std::string> alike,
      read_texts(engine, table,
                 fmt::format("SELECT DISTINCT {0} AS v FROM data WHERE lower(trim({0})) = lower(trim($1)) "
                             "ORDER BY v LIMIT {1}",
                             column, kValuesShown),
                 {equality.value}, limits));
  if (std::find(alike.begin(), alike.end(), equality.value) != alike.end()) return std::string();
  const std::string name = sql_spelling(equality.column);
  const std::string wanted = excerpt(equality.value, 40);
  if (!alike.empty()) return fmt::format("{} has {} and no '{}'", name, quoted_list(alike), wanted);
  SLUICE_TRY(
      const std::vector<std::string> values,
      read_texts(engine, table,
                 fmt::format("SELECT DISTINCT {0} AS v FROM data WHERE {0} IS NOT NULL ORDER BY v LIMIT {1}",
                             column, kValuesShown + 1),
                 {}, limits));
  return fmt::format("{} has the values {} and no '{}'", name, quoted_list(values), wanted);
}

// Whether a caller of the operator's tool knows the values of the column: a parameter takes its values from
// it.
bool is_published(const EmptyAnswer& answer, const expression::TextEquality& equality, const Part& table) {
  return std::any_of(answer.declared->begin(), answer.declared->end(), [&](const ToolParameter& parameter) {
    if (parameter.name != equality.parameter || parameter.table.empty()) return false;
    if (!equal_ignoring_case(parameter.column, equality.column)) return false;
    const Result<query::DatasetPtr> dataset = find_dataset(answer.tools.inventory_now(), parameter.table);
    return dataset.ok() && *dataset && (*dataset)->name() == table.dataset->name();
  });
}

}  // namespace

std::string why_empty(const EmptyAnswer& answer, const std::vector<expression::TextEquality>& equalities,
                      const std::vector<Part>& tables, const engine::RunLimits& limits) {
  engine::RunLimits own = limits;
  own.deadline = std::min(own.deadline, system_clock().now() + kExplanationTime);
  std::size_t explained = 0;
  for (const expression::TextEquality& equality : equalities) {
    if (++explained > kExplainedMax) break;
    const Part* table = table_with_text(tables, equality.column);
    if (table == nullptr) continue;
    if (answer.declared != nullptr && !is_published(answer, equality, *table)) continue;
    const Result<std::string> reason = explain(answer.engine, *table, equality, own);
    if (!reason.ok()) return "";
    if (!reason->empty()) return *reason;
  }
  return "";
}

}  // namespace sluice::datasets::lean
