#include "answer/column_statistics.h"

#include <memory>

#include <fmt/format.h>

#include "sluice/query/statement.h"

namespace sluice::datasets {

namespace {

constexpr int kValueCharacters = 80;
constexpr std::size_t kCellsOfColumn = 5;

// Text that is not longer than is shown of a value; anything else as it is.
std::string shown(const StatisticsColumn& column, const std::string& sql) {
  if (column.type.id != engine::TypeId::kText) return sql;
  return fmt::format("CASE WHEN length({0}) > {1} THEN left({0}, {1}) || '…' ELSE {0} END", sql,
                     kValueCharacters);
}

// kCellsOfColumn of each column, then the number of rows.
std::string statistics_sql(const std::vector<StatisticsColumn>& columns, Distinct distinct) {
  std::string out = "SELECT ";
  for (const StatisticsColumn& column : columns) {
    const auto extreme = [&](std::string_view fn) {
      return column.has_extremes ? shown(column, fmt::format("{}({})", fn, column.sql)) : std::string("NULL");
    };
    const std::string_view count =
        distinct == Distinct::kExact ? "count(DISTINCT " : "approx_count_distinct(";
    out += fmt::format("count({0}), {1}, {2}, {3}, {4}, ", column.sql,
                       column.counts_distinct ? fmt::format("{}{})", count, column.sql) : "CAST(0 AS BIGINT)",
                       extreme("min"), extreme("max"),
                       column.has_mean ? fmt::format("avg({})", column.sql) : "NULL");
  }
  return out + "count(*) FROM data";
}

std::string frequent_values_sql(const std::vector<StatisticsColumn>& columns, std::uint64_t most) {
  std::string out;
  for (const StatisticsColumn& column : columns) {
    out += out.empty() ? "SELECT " : ", ";
    out += column.has_extremes
               ? fmt::format(
                     "(SELECT list({{'value': {1}, 'count': n}} ORDER BY n DESC, v) FROM (SELECT v, "
                     "count(*) AS n FROM (SELECT {0} AS v FROM data) WHERE v IS NOT NULL GROUP BY v "
                     "ORDER BY n DESC, v LIMIT {2}))",
                     column.sql, shown(column, "v"), most)
               : std::string("NULL");
  }
  return out;
}

FrequentValues frequent_values(const engine::Column& list) {
  FrequentValues out;
  if (list.children.empty() || list.is_null(0)) return out;
  const engine::Column& pair = list.children.front();
  const auto cell = list.at<engine::ListCell>(0);
  for (std::uint64_t row = cell.offset; row < cell.offset + cell.size; ++row)
    out.push_back(
        {.column = &pair.children[0], .row = row, .count = pair.children[1].at<std::uint64_t>(row)});
  return out;
}

}  // namespace

Status StatisticsReader::read(std::string sql, const std::function<void(const engine::Batch&)>& take) const {
  expression::Question question;
  question.sql = std::move(sql);
  SLUICE_TRY(const query::Relation relation, subject_.dataset->open(*subject_.table, limits_, &question));
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             subject_.engine->query(query::statement_of(question, *subject_.table, relation, std::nullopt),
                                    limits_));
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return {};
    take(*batch);
  }
}

Status StatisticsReader::read_statistics(const std::vector<StatisticsColumn>& columns, Distinct distinct,
                                         const TakeStatistics& take) const {
  return read(statistics_sql(columns, distinct), [&](const engine::Batch& batch) {
    std::vector<ColumnStatistics> out;
    for (std::size_t at = 0; at < columns.size() * kCellsOfColumn; at += kCellsOfColumn) {
      out.push_back({.values = batch.columns[at].at<std::uint64_t>(0),
                     .distinct = batch.columns[at + 1].at<std::uint64_t>(0),
                     .least = &batch.columns[at + 2],
                     .greatest = &batch.columns[at + 3],
                     .mean = &batch.columns[at + 4]});
    }
    take(batch.columns.back().at<std::uint64_t>(0), out);
  });
}

Status StatisticsReader::read_frequent_values(
    const std::vector<StatisticsColumn>& columns, std::uint64_t most,
    const std::function<void(const std::vector<FrequentValues>&)>& take) const {
  return read(frequent_values_sql(columns, most), [&](const engine::Batch& batch) {
    std::vector<FrequentValues> out;
    for (const engine::Column& list : batch.columns) out.push_back(frequent_values(list));
    take(out);
  });
}

}  // namespace sluice::datasets
