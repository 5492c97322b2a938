#include "lean/table_profile.h"

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/render/cell.h"

#include "answer/column_statistics.h"
#include "lean/pitfalls.h"
#include "lean/value_text.h"

namespace sluice::datasets::lean {

namespace {

using engine::Batch;
using engine::Field;
using engine::Type;
using engine::TypeId;

constexpr std::size_t kPathsMax = 300;
constexpr int kStructDepthMax = 12;
constexpr std::uint64_t kSampleRows = 1'000;
constexpr std::size_t kSampleValues = 64;
constexpr std::uint64_t kFewValues = 12;
constexpr std::uint64_t kKeyRowsMax = 50'000;
constexpr std::uint64_t kExactCellsMax = 1'000'000;  // More distinct values are estimated.
constexpr std::size_t kKeysMax = 3;
constexpr std::uint64_t kScannedRowsMax = 20'000'000;
constexpr std::uint64_t kDatabaseRowsMax = 200'000;  // Rows of another server are not read for statistics.
constexpr std::size_t kExampleBytes = 40;

void add_paths(std::vector<ColumnProfile>& out, const Field& field, const std::string& path,
               const std::string& sql, int depth) {
  if (out.size() >= kPathsMax) return;
  if (field.type.id == TypeId::kStruct && depth < kStructDepthMax) {
    for (const Field& member : field.type.fields) {
      add_paths(out, member, path + "." + sql_spelling(member.name),
                fmt::format("struct_extract({}, {})", sql, engine::quote_text(member.name)), depth + 1);
    }
    return;
  }
  ColumnProfile column;
  column.path = path;
  column.sql = sql;
  column.type = field.type;
  out.push_back(std::move(column));
}

bool has_range(const Type& type) { return engine::is_number(type.id) || engine::is_temporal(type.id); }

bool has_values(const Type& type) { return !engine::is_nested(type.id) && type.id != TypeId::kBlob; }

bool may_be_key(const Type& type) {
  return type.id == TypeId::kText || type.id == TypeId::kUuid || engine::is_integer(type.id);
}

std::string text_of(const engine::Column& column, std::size_t row) {
  std::string out;
  render::append_text(out, column, row, render::Digits::kBrief);
  return out;
}

std::string select_list(const std::vector<ColumnProfile>& columns) {
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    out += fmt::format("{}{} AS c{}", i == 0 ? "" : ", ", columns[i].sql, i);
  return out;
}

Status read_sample(const StatisticsReader& reader, std::vector<ColumnProfile>& columns) {
  std::vector<std::unordered_set<std::uint64_t>> seen(columns.size());
  std::vector<bool> has_blank_example(columns.size());
  const std::string sql = fmt::format("SELECT {} FROM data LIMIT {}", select_list(columns), kSampleRows);
  return reader.read(sql, [&](const Batch& batch) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      ColumnProfile& column = columns[i];
      for (std::size_t row = 0; row < batch.rows; ++row) {
        if (batch.columns[i].is_null(row)) continue;
        const std::string value = text_of(batch.columns[i], row);
        const bool is_blank = value.find_first_not_of(' ') == std::string::npos;
        if (column.example.empty() || (has_blank_example[i] && !is_blank)) {
          column.example = value_text(batch.columns[i], row, kExampleBytes);
          has_blank_example[i] = is_blank;
        }
        if (seen[i].size() == kSampleValues || !may_be_key(column.type)) break;
        const std::uint64_t hash = std::hash<std::string>{}(value);
        if (seen[i].insert(hash).second) column.sample.push_back(hash);
      }
    }
  });
}

StatisticsColumn requested(const ColumnProfile& column) {
  return {.sql = column.sql,
          .type = column.type,
          .counts_distinct = has_values(column.type),
          .has_extremes = has_range(column.type)};
}

// Sets nulls, distinct, least and greatest values of the columns. Returns the number of rows.
Result<std::uint64_t> read_statistics(const StatisticsReader& reader, std::vector<ColumnProfile>& columns,
                                      Distinct distinct) {
  std::vector<StatisticsColumn> wanted;
  for (const ColumnProfile& column : columns) wanted.push_back(requested(column));
  std::uint64_t out = 0;
  SLUICE_CHECK(reader.read_statistics(
      wanted, distinct, [&](std::uint64_t rows, const std::vector<ColumnStatistics>& statistics) {
        out = rows;
        for (std::size_t i = 0; i < columns.size(); ++i) {
          columns[i].nulls = rows - statistics[i].values;
          columns[i].distinct = statistics[i].distinct;
          columns[i].has_exact_distinct = distinct == Distinct::kExact;
          if (!statistics[i].least->is_null(0)) columns[i].least = text_of(*statistics[i].least, 0);
          if (!statistics[i].greatest->is_null(0)) columns[i].greatest = text_of(*statistics[i].greatest, 0);
        }
      }));
  return out;
}

// The values of a column that seems to have few. One value more than are few shows that there are too many.
Status read_values(const StatisticsReader& reader, ColumnProfile& column) {
  StatisticsColumn wanted = requested(column);
  wanted.has_extremes = true;
  return reader.read_frequent_values({wanted}, kFewValues + 1, [&](const std::vector<FrequentValues>& all) {
    if (all.front().size() > kFewValues) return;
    for (const FrequentValue& value : all.front())
      column.values.push_back(
          {.value = value_text(*value.column, value.row, kExampleBytes), .count = value.count});
  });
}

Status read_key(const StatisticsReader& reader, ColumnProfile& column) {
  std::vector<std::uint64_t> hashes;
  SLUICE_CHECK(reader.read(fmt::format("SELECT {} AS v FROM data", column.sql), [&](const Batch& batch) {
    for (std::size_t row = 0; row < batch.rows; ++row) {
      if (!batch.columns[0].is_null(row))
        hashes.push_back(std::hash<std::string>{}(text_of(batch.columns[0], row)));
    }
  }));
  std::sort(hashes.begin(), hashes.end());
  if (std::adjacent_find(hashes.begin(), hashes.end()) != hashes.end()) return {};
  column.is_key = true;
  column.key_set = std::move(hashes);
  return {};
}

// The sketch of distinct values is off by up to two fifths.
bool may_be_unique(const ColumnProfile& column, std::uint64_t rows) {
  return column.has_exact_distinct ? column.distinct == rows : column.distinct * 10 >= rows * 6;
}
bool may_be_few(const ColumnProfile& column) {
  return column.has_exact_distinct ? column.distinct <= kFewValues : column.distinct * 6 <= kFewValues * 10;
}

// Replaces the samples from the first rows by some of all distinct values, chosen by their hashes.
Status read_join_samples(const StatisticsReader& reader, std::vector<ColumnProfile>& columns) {
  std::string lists;
  std::vector<ColumnProfile*> wanted;
  for (ColumnProfile& column : columns) {
    if (!may_be_key(column.type) || column.distinct < 2 * kSampleValues) continue;
    lists += fmt::format("{0}list(DISTINCT {1}) FILTER (WHERE {1} IS NOT NULL AND hash({1}) % {2} = 0)",
                         lists.empty() ? "" : ", ", column.sql, column.distinct / kSampleValues);
    wanted.push_back(&column);
  }
  if (wanted.empty()) return {};
  return reader.read("SELECT " + lists + " FROM data", [&](const Batch& batch) {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const engine::Column& list = batch.columns[i];
      wanted[i]->sample.clear();
      if (list.children.empty() || list.is_null(0)) continue;
      const auto cell = list.at<engine::ListCell>(0);
      for (std::uint64_t row = cell.offset; row < cell.offset + cell.size; ++row)
        wanted[i]->sample.push_back(std::hash<std::string>{}(text_of(list.children.front(), row)));
    }
  });
}

bool is_scanned(const query::Dataset& dataset, const query::Table& table) {
  const bool is_counted = dataset.count_state() == query::CountState::kExact ||
                          dataset.count_state() == query::CountState::kEstimated ||
                          dataset.count_state() == query::CountState::kGuessed;
  const std::uint64_t most = table.layout ? kDatabaseRowsMax : kScannedRowsMax;
  return is_counted ? dataset.row_count() <= most : !table.layout;
}

Status read_all_rows(const Subject& subject, const StatisticsReader& reader,
                     std::vector<ColumnProfile>& columns) {
  const bool is_small = subject.dataset->count_state() == query::CountState::kExact &&
                        subject.dataset->row_count() <= kKeyRowsMax &&
                        subject.dataset->row_count() * columns.size() <= kExactCellsMax;
  SLUICE_TRY(const std::uint64_t rows,
             read_statistics(reader, columns, is_small ? Distinct::kExact : Distinct::kSketch));
  std::size_t keys = 0;
  for (ColumnProfile& column : columns) {
    if (!has_values(column.type)) continue;
    if (may_be_few(column)) SLUICE_CHECK(read_values(reader, column));
    const bool may_identify = rows > 2 && rows <= kKeyRowsMax && column.nulls == 0 &&
                              may_be_key(column.type) && may_be_unique(column, rows);
    if (may_identify && keys < kKeysMax) {
      SLUICE_CHECK(read_key(reader, column));
      keys += column.is_key ? 1 : 0;
    }
  }
  return read_join_samples(reader, columns);
}

Status read_pitfalls(const StatisticsReader& reader, std::vector<ColumnProfile>& columns) {
  std::string sql = pitfall_sql(columns, kSampleRows);
  if (sql.empty()) return {};
  return reader.read(std::move(sql), [&](const Batch& batch) {
    std::vector<std::uint64_t> counts;
    for (const engine::Column& cell : batch.columns) counts.push_back(cell.at<std::uint64_t>(0));
    tell_pitfalls(columns, counts);
  });
}

}  // namespace

std::string type_word(const Type& type) {
  if (engine::is_integer(type.id)) return "int";
  switch (type.id) {
    case TypeId::kText:
    case TypeId::kEnum:
      return "text";
    case TypeId::kFloat:
    case TypeId::kDouble:
      return "real";
    case TypeId::kDecimal:
      return "decimal";
    case TypeId::kBool:
      return "bool";
    case TypeId::kDate:
      return "date";
    case TypeId::kTime:
    case TypeId::kTimeNs:
    case TypeId::kTimeTz:
      return "time";
    case TypeId::kTimestampS:
    case TypeId::kTimestampMs:
    case TypeId::kTimestampUs:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTz:
      return "timestamp";
    case TypeId::kList:
    case TypeId::kArray: {
      const Type& element = type.fields.front().type;
      if (element.id != TypeId::kStruct) return type_word(element) + "[]";
      std::string members;
      for (const Field& member : element.fields) {
        if (members.size() > 200) {
          members += ", …";
          break;
        }
        members += (members.empty() ? "" : ", ") + sql_spelling(member.name);
      }
      return fmt::format("struct({})[]", members);
    }
    case TypeId::kStruct:
      return "struct";
    case TypeId::kMap:
      return "map";
    default:
      return to_lower_ascii(engine::sql_name(type));
  }
}

std::vector<ColumnProfile> column_paths(const expression::Columns& columns) {
  std::vector<ColumnProfile> out;
  for (const Field& column : columns)
    add_paths(out, column, sql_spelling(column.name), engine::quote_name(column.name), 0);
  return out;
}

Result<std::string> text_pitfall(const Subject& subject, const Field& column,
                                 const engine::RunLimits& limits) {
  std::vector<ColumnProfile> columns = column_paths({column});
  const StatisticsReader reader(subject, limits);
  SLUICE_CHECK(read_sample(reader, columns));
  SLUICE_CHECK(read_pitfalls(reader, columns));
  return columns.front().pitfall;
}

Result<TableProfile> profile_table(const Subject& subject, const engine::RunLimits& limits) {
  TableProfile out;
  out.columns = column_paths(subject.table->columns);
  if (out.columns.empty()) return out;
  const StatisticsReader reader(subject, limits);
  SLUICE_CHECK(read_sample(reader, out.columns));
  SLUICE_CHECK(read_pitfalls(reader, out.columns));
  if (!is_scanned(*subject.dataset, *subject.table)) return out;
  const Status scanned = read_all_rows(subject, reader, out.columns);
  // A table that cannot be read to its end in time still has its sample.
  if (!scanned.ok() && scanned.error().kind != ErrorKind::kDeadline) return scanned.error();
  return out;
}

}  // namespace sluice::datasets::lean
