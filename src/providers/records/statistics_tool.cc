#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"
#include "sluice/records/name.h"
#include "sluice/records/view_plan.h"
#include "sluice/render/cell.h"

#include "footer.h"
#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;

constexpr std::size_t kColumnsMax = 200;
constexpr std::size_t kCategoricalColumns = 10;
constexpr int kCommonValues = 10;
constexpr int kCommonCharacters = 200;

// The type as pandas names it, which readers of this answer know.
std::string dtype_of(const engine::Type& type) {
  switch (type.id) {
    case TypeId::kBool:
      return "bool";
    case TypeId::kInt8:
      return "int8";
    case TypeId::kInt16:
      return "int16";
    case TypeId::kInt32:
      return "int32";
    case TypeId::kInt64:
      return "int64";
    case TypeId::kUInt8:
      return "uint8";
    case TypeId::kUInt16:
      return "uint16";
    case TypeId::kUInt32:
      return "uint32";
    case TypeId::kUInt64:
      return "uint64";
    case TypeId::kFloat:
      return "float32";
    case TypeId::kDouble:
      return "float64";
    case TypeId::kTimestampS:
      return "datetime64[s]";
    case TypeId::kTimestampMs:
      return "datetime64[ms]";
    case TypeId::kTimestampUs:
      return "datetime64[us]";
    case TypeId::kTimestampNs:
      return "datetime64[ns]";
    case TypeId::kTimestampTz:
      return "datetime64[us, UTC]";
    default:
      return "object";
  }
}

bool is_category(const Field& column) {
  return column.type.id == TypeId::kText || column.type.id == TypeId::kEnum;
}

// Whether a column may have dates: by its type, or as text by its name.
bool may_be_date(const Field& column) {
  if (timestamp_of(column).empty()) return false;
  const std::string name = to_lower_ascii(column.name);
  return column.type.id != TypeId::kText || name.find("date") != std::string::npos ||
         name.find("time") != std::string::npos;
}

std::string numeric_sql(const Field& column, bool with_distribution) {
  const std::string name = quote_name(column.name);
  // The engine refuses the spread of what is not finite.
  const std::string finite = fmt::format("FILTER (WHERE isfinite(CAST({} AS DOUBLE)))", name);
  std::string out = fmt::format(
      "{{'count': count({0}), 'sum': coalesce(sum({0}), 0), 'mean': avg({0}), 'min': min({0}), 'max': "
      "max({0}), 'std': "
      "stddev_samp(CAST({0} AS DOUBLE)) {1}",
      name, finite);
  if (with_distribution) {
    out += ", 'percentiles': {";
    for (const int percent : {25, 50, 75, 90, 95, 99}) {
      out += fmt::format("{}'{}': quantile_cont(CAST({} AS DOUBLE), {})", out.ends_with('{') ? "" : ", ",
                         percent, name, percent / 100.0);
    }
    out += "}";
  }
  return out + "}";
}

std::string date_sql(const Field& column) {
  const std::string time = timestamp_of(column);
  const std::string cell = column.type.id == TypeId::kDate ? quote_name(column.name) : time;
  return fmt::format(
      "{{'min': min({0}), 'max': max({0}), 'range_days': date_diff('day', min({1}), max({1})), "
      "'unique_count': "
      "count(DISTINCT {0}), 'null_count': count(*) - count({0})}}",
      cell, time);
}

std::string category_sql(const Field& column) {
  const std::string name = quote_name(column.name);
  return fmt::format("{{'unique_count': count(DISTINCT {0}), 'null_count': count(*) - count({0})}}", name);
}

// One member of the answer for each column: numeric, date or categorical.
struct Measure {
  std::string_view group;
  const Field* column = nullptr;
  std::string sql;
};

std::vector<Measure> measures_of(const std::vector<const Field*>& columns, bool with_distribution) {
  std::vector<Measure> out;
  std::size_t categories = 0;
  for (const Field* column : columns) {
    if (engine::is_number(column->type.id))
      out.push_back({"numeric_statistics", column, numeric_sql(*column, with_distribution)});
    if (may_be_date(*column)) out.push_back({"date_statistics", column, date_sql(*column)});
    if (is_category(*column) && categories++ < kCategoricalColumns) {
      out.push_back({"categorical_statistics", column, category_sql(*column)});
    }
  }
  return out;
}

// The most frequent values of a column and how often each is there.
Result<json::Object> most_common(const Field& column, const records::View& view,
                                 const engine::RunLimits& limits) {
  const engine::Statement statement{
      .sql =
          fmt::format("SELECT left(CAST({0} AS VARCHAR), {1}) AS v, count(*) FROM {2} WHERE {0} IS NOT NULL "
                      "GROUP BY v ORDER BY count(*) DESC, v LIMIT {3}",
                      quote_name(column.name), kCommonCharacters, view.relation, kCommonValues),
      .parameters = view.parameters};
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, view.engine->query(statement, limits));
  json::Object out;
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      out.set(std::string(batch->columns[0].text(row)), batch->columns[1].at<std::int64_t>(row));
    }
  }
}

struct Measured {
  std::int64_t rows = 0;
  std::vector<std::string> values;  // JSON objects, in the order of the measures.
};

Result<Measured> measure(const std::vector<Measure>& measures, const records::View& view,
                         const engine::RunLimits& limits) {
  std::string sql = "SELECT count(*)";
  for (const Measure& one : measures) sql += ", " + one.sql;
  sql += " FROM " + view.relation;
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             view.engine->query({.sql = sql, .parameters = view.parameters}, limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  Measured out;
  if (batch == nullptr) return internal_error("measure columns: the engine gave no row");
  out.rows = batch->columns.front().at<std::int64_t>(0);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    render::append_json(out.values.emplace_back(), batch->columns[i + 1], 0);
  }
  return out;
}

Result<std::vector<const Field*>> described_columns(const json::Object& arguments,
                                                    const records::View& view) {
  SLUICE_TRY(const std::vector<std::string> names,
             json::ObjectReader(arguments, "").optional_strings("columns"));
  SLUICE_TRY(std::vector<const Field*> out, named_columns(view, names));
  for (const Field& column : view.columns) {
    if (names.empty()) out.push_back(&column);
  }
  return out;
}

// numeric_statistics, date_statistics and categorical_statistics.
Status write_groups(json::Writer& out, const std::vector<Measure>& measures, const Measured& measured,
                    const records::View& view, const engine::RunLimits& limits) {
  for (const std::string_view group : {"numeric_statistics", "date_statistics", "categorical_statistics"}) {
    out.key(group).begin_object();
    for (std::size_t i = 0; i < measures.size(); ++i) {
      if (measures[i].group != group) continue;
      std::string value = measured.values[i];
      // A column that is only called like a date, and has none.
      const bool is_empty = group == "date_statistics" && value.starts_with(R"({"min":null)");
      if (is_empty && measures[i].column->type.id == TypeId::kText) continue;
      if (group == "categorical_statistics") {
        SLUICE_TRY(const json::Object common, most_common(*measures[i].column, view, limits));
        value.pop_back();
        value += ",\"most_common\":" + json::to_text(common) + "}";
      }
      out.raw_field(measures[i].column->name, value);
    }
    out.end_object();
  }
  return {};
}

}  // namespace

Result<protocol::ToolResult> get_statistics(const RecordTools& tools, const json::Object& arguments,
                                            catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const records::View& view = subject.view;
  SLUICE_TRY(const plan::Condition condition, condition_of(arguments, "filters", view));
  SLUICE_TRY(const records::View filtered, records::filtered_view(view, condition, tools.guard_of(context)));
  SLUICE_TRY(std::vector<const Field*> columns, described_columns(arguments, view));
  SLUICE_TRY(const std::optional<bool> distribution,
             json::ObjectReader(arguments, "").optional_bool("include_distribution"));
  const std::size_t wanted = columns.size();
  columns.resize(std::min(wanted, kColumnsMax));
  const std::vector<Measure> measures = measures_of(columns, distribution.value_or(false));
  SLUICE_TRY(const Measured measured, measure(measures, filtered, limits_of(context)));
  const std::string path = records::file_path(view.data_type);
  const Result<fs::Entry> file = tools.store().root().stat(path);
  json::Writer out;
  out.begin_object()
      .field("data_type", view.data_type)
      .field("file_path", path)
      .field("row_count", measured.rows);
  out.field("column_count", wanted).field("version", view.version);
  if (wanted > columns.size()) {
    out.field("warning",
              fmt::format("The first {} columns are described; name others in `columns`.", columns.size()));
  }
  out.key("columns").begin_array();
  for (const Field* column : columns) out.string(column->name);
  out.end_array().key("dtypes").begin_object();
  for (const Field* column : columns) out.field(column->name, dtype_of(column->type));
  out.end_object();
  out.field(
      "memory_usage_mb",
      static_cast<double>(uncompressed_bytes(tools.store(), view, limits_of(context))) / (1024.0 * 1024.0));
  out.field("file_size_bytes", file.ok() ? file->bytes : 0);
  SLUICE_CHECK(write_groups(out, measures, measured, filtered, limits_of(context)));
  out.end_object();
  if (out.size() > tools.budget().bytes) {
    return make_error(ErrorKind::kLimitReached, "get statistics: the answer is too large")
        .with_code("oversize_result")
        .with_hint("Name fewer columns.");
  }
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
