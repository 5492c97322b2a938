#include "answer/filter_hints.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/writer.h"
#include "sluice/query/rows_reader.h"
#include "sluice/query/statement.h"

#include "answer/row_counts.h"

namespace sluice::datasets {

namespace {

using query::Filter;
using query::FilterOp;

constexpr std::size_t kFiltersExplained = 5;
constexpr std::uint64_t kValuesShown = 3;
constexpr std::size_t kValueBytes = 80;

bool compares_spelling(FilterOp op) { return op == FilterOp::kEq || op == FilterOp::kContains; }

// Values of the column that hold the same words, however they are written.
std::vector<std::string> spelled_alike(const Subject& subject, const Filter& filter,
                                       const engine::RunLimits& limits) {
  const Result<const engine::Field*> column = query::find_column(subject.table->columns, filter.column);
  if (!column.ok() || (*column)->type.id != engine::TypeId::kText || !compares_spelling(filter.op)) return {};
  query::QueryArguments query_arguments{
      .columns = {filter.column},
      .filters = {{.column = filter.column, .op = FilterOp::kNormalizedContains, .value = filter.value}}};
  query_arguments.distinct = true;
  query_arguments.limit = kValuesShown;
  const auto find = [&]() -> Result<std::vector<query::TextRow>> {
    SLUICE_TRY(const expression::Question question,
               query::compile(query_arguments, *subject.table, subject.dataset->collection(), subject.guard));
    SLUICE_TRY(const query::Relation relation, subject.dataset->open(*subject.table, limits, &question));
    return query::read_rows(*subject.engine,
                            query::statement_of(question, *subject.table, relation, kValuesShown), limits,
                            kValuesShown);
  };
  std::vector<std::string> out;
  if (const Result<std::vector<query::TextRow>> rows = find(); rows.ok()) {
    for (const query::TextRow& row : *rows)
      out.push_back(json::to_text(json::Value(excerpt(row.front(), kValueBytes))));
  }
  return out;
}

std::string without_rows(const Subject& subject, const Filter& filter, const engine::RunLimits& limits) {
  const std::string value = excerpt(json::to_text(filter.value), kValueBytes);
  const std::string what = fmt::format("No row fits the filter on {} with {}", excerpt(filter.column), value);
  const std::vector<std::string> alike = spelled_alike(subject, filter, limits);
  if (alike.empty()) return what + "; `columns` with that column and `distinct: true` lists its values.";
  return fmt::format("{}. Written otherwise: {}. normalized_contains finds any spelling.", what,
                     fmt::join(alike, ", "));
}

}  // namespace

void warn_of_no_rows(const Subject& subject, const expression::Question& question,
                     const catalog::Context& context, std::vector<std::string>& warnings) {
  if (!question.arguments) return;
  if (question.offset > 0) {
    warnings.push_back(fmt::format("There are no rows from offset {} on.", question.offset));
    return;
  }
  const std::vector<Filter>& filters = question.arguments->filters;
  if (filters.empty() || question.limit == 0U) return;
  const RowCounts counts(subject, context);
  bool is_explained = false;
  for (std::size_t i = 0; i < std::min(filters.size(), kFiltersExplained); ++i) {
    const std::optional<std::uint64_t> rows = counts.of({.filters = {filters[i]}});
    if (!rows) return;
    if (*rows > 0) continue;
    is_explained = true;
    warnings.push_back(without_rows(subject, filters[i], counts.limits()));
  }
  if (!is_explained && filters.size() > 1 && filters.size() <= kFiltersExplained)
    warnings.emplace_back("Each of the filters fits some rows, but no row fits all of them.");
}

}  // namespace sluice::datasets
