#include "answer/dropped_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "answer/row_counts.h"

namespace sluice::datasets {

namespace {

constexpr std::size_t kColumnsNamed = 8;

std::string column_list(const std::vector<std::string>& columns) {
  if (columns.empty()) return "the selected columns";
  std::string out;
  for (std::size_t i = 0; i < std::min(columns.size(), kColumnsNamed); ++i)
    (out += i > 0 ? ", " : "") += excerpt(columns[i]);
  return columns.size() > kColumnsNamed ? out + ", …" : out;
}

// "3 rows were dropped", "Rows may have been dropped", or nothing where none were.
std::optional<std::string> dropped(std::optional<std::uint64_t> before, std::optional<std::uint64_t> after) {
  if (!before || !after) return "Rows may have been dropped";
  if (*after >= *before) return std::nullopt;
  const std::uint64_t count = *before - *after;
  return fmt::format("{} {} dropped", count, count == 1 ? "row was" : "rows were");
}

// The columns in which null_policy: drop takes no null.
std::vector<std::string> needed_columns(const query::QueryArguments& query_arguments) {
  if (!query_arguments.grouped) return query_arguments.columns;
  std::vector<std::string> out = query_arguments.group_by;
  for (const query::Aggregate& aggregate : query_arguments.aggregates) {
    if (!aggregate.column.empty() && std::find(out.begin(), out.end(), aggregate.column) == out.end())
      out.push_back(aggregate.column);
  }
  return out;
}

}  // namespace

void warn_of_dropped_rows(const Subject& subject, const expression::Question& question,
                          const catalog::Context& context, std::vector<std::string>& warnings) {
  if (!question.arguments) return;
  const query::QueryArguments& query_arguments = *question.arguments;
  if (!query_arguments.drop_nulls && !query_arguments.deduplicate) return;
  const RowCounts counts(subject, context);
  query::QueryArguments rows{.columns = needed_columns(query_arguments), .filters = query_arguments.filters};
  std::optional<std::uint64_t> before = counts.of(rows);
  // A grouping that needs no column, such as a count of all rows, drops none.
  if (query_arguments.drop_nulls && (!query_arguments.grouped || !rows.columns.empty())) {
    rows.drop_nulls = true;
    const std::optional<std::uint64_t> after = counts.of(rows);
    if (const std::optional<std::string> what = dropped(before, after)) {
      warnings.push_back(
          fmt::format("{} by null_policy: a value is missing in {}.", *what, column_list(rows.columns)));
    }
    before = after;
  }
  if (!query_arguments.deduplicate) return;
  rows.deduplicate = true;
  rows.deduplicate_by = query_arguments.deduplicate_by;
  if (const std::optional<std::string> what = dropped(before, counts.of(rows))) {
    warnings.push_back(fmt::format("{} by deduplicate: an earlier row has the same values in {}.", *what,
                                   column_list(query_arguments.deduplicate_by)));
  }
}

}  // namespace sluice::datasets
