#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"
#include "sluice/render/cell.h"

#include "answer/column_statistics.h"
#include "answer/result_json.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;

constexpr std::uint64_t kTopValues = 3;
constexpr std::size_t kDescribedColumns = 60;
constexpr std::chrono::seconds kExactTime{2};  // For distinct values, and again for the frequent ones.

using Columns = std::vector<const Field*>;

bool is_ordered(const Field& column) {
  return !engine::is_nested(column.type.id) && column.type.id != TypeId::kBlob;
}

std::vector<StatisticsColumn> requested(const Columns& columns) {
  std::vector<StatisticsColumn> out;
  for (const Field* column : columns) {
    out.push_back({.sql = quote_name(column->name),
                   .type = column->type,
                   .has_extremes = is_ordered(*column),
                   .has_mean = engine::is_number(column->type.id)});
  }
  return out;
}

// Values are JSON.
struct ColumnFacts {
  std::uint64_t values = 0;
  std::uint64_t distinct = 0;
  std::string least;
  std::string greatest;
  std::string mean;
  std::string top;
};

struct Facts {
  std::uint64_t rows = 0;
  std::vector<ColumnFacts> columns;
  bool has_exact_distinct = true;
  bool has_top = false;  // Otherwise the frequent values were not counted in time.
};

std::string json_of(const engine::Column& column, std::size_t row) {
  std::string out;
  render::append_json(out, column, row);
  return out;
}

std::string json_of(const FrequentValues& values) {
  json::Writer out;
  out.begin_array();
  for (const FrequentValue& value : values) {
    out.begin_object().raw_field("value", json_of(*value.column, value.row));
    out.field("count", value.count).end_object();
  }
  return std::move(out.end_array()).take();
}

Status read_statistics(const StatisticsReader& reader, const Columns& columns, Distinct distinct,
                       Facts& facts) {
  facts.has_exact_distinct = distinct == Distinct::kExact;
  return reader.read_statistics(requested(columns), distinct,
                                [&](std::uint64_t rows, const std::vector<ColumnStatistics>& statistics) {
                                  facts.rows = rows;
                                  facts.columns.clear();
                                  for (const ColumnStatistics& one : statistics) {
                                    facts.columns.push_back({.values = one.values,
                                                             .distinct = one.distinct,
                                                             .least = json_of(*one.least, 0),
                                                             .greatest = json_of(*one.greatest, 0),
                                                             .mean = json_of(*one.mean, 0),
                                                             .top = {}});
                                  }
                                });
}

Status read_top(const StatisticsReader& reader, const Columns& columns, Facts& facts) {
  return reader.read_frequent_values(requested(columns), kTopValues,
                                     [&](const std::vector<FrequentValues>& values) {
                                       facts.has_top = true;
                                       for (std::size_t i = 0; i < values.size(); ++i)
                                         facts.columns[i].top = json_of(values[i]);
                                     });
}

// Whether a statement ran out of its own time, and not out of the request's.
bool is_out_of_time(const Error& error, const engine::RunLimits& request) {
  return error.kind == ErrorKind::kDeadline && system_clock().now() < request.deadline;
}

// The engine holds every distinct value while it counts them. Where they are too many for its memory,
// counting them has failed as if it took too long.
bool gives_up(const Error& error, const engine::RunLimits& request) {
  return is_out_of_time(error, request) || error.kind == ErrorKind::kLimitReached;
}

Result<Facts> column_facts_of(const Subject& subject, const Columns& columns,
                              const engine::RunLimits& request) {
  const auto in_time = [&request] {
    return engine::RunLimits{.deadline = std::min(request.deadline, system_clock().now() + kExactTime),
                             .stop = request.stop};
  };
  Facts out;
  const engine::RunLimits first = in_time();
  const Status exact = read_statistics(StatisticsReader(subject, first), columns, Distinct::kExact, out);
  if (!exact.ok() && !gives_up(exact.error(), request)) return exact.error();
  if (!exact.ok()) {
    SLUICE_CHECK(read_statistics(StatisticsReader(subject, request), columns, Distinct::kSketch, out));
    return out;
  }
  const engine::RunLimits second = in_time();
  const Status top = read_top(StatisticsReader(subject, second), columns, out);
  if (!top.ok() && !gives_up(top.error(), request)) return top.error();
  return out;
}

std::string column_json(const Field& column, const Facts& facts, std::size_t index) {
  const ColumnFacts& own = facts.columns[index];
  json::Writer out;
  out.begin_object().field("column", column.name).field("dtype", engine::polars_name(column.type));
  out.field("count", own.values);
  out.field("nulls", facts.rows - own.values);
  out.field(facts.has_exact_distinct ? "distinct" : "distinct_estimate", own.distinct);
  if (!facts.has_exact_distinct) out.field("distinct_error", kSketchError);
  if (is_ordered(column)) out.raw_field("min", own.least).raw_field("max", own.greatest);
  if (engine::is_number(column.type.id)) out.raw_field("mean", own.mean);
  if (is_ordered(column) && facts.has_top) out.raw_field("top", own.top);
  return std::move(out.end_object()).take();
}

Result<Columns> wanted_columns(const Subject& subject, const json::Object& arguments,
                               std::vector<std::string>& warnings) {
  SLUICE_TRY(const std::vector<std::string> wanted,
             json::ObjectReader(arguments, "").optional_strings("columns"));
  Columns columns;
  for (const std::string& name : wanted) {
    SLUICE_TRY(columns.emplace_back(), query::find_column(subject.table->columns, name));
  }
  if (columns.empty()) {
    for (const Field& column : subject.table->columns) columns.push_back(&column);
  }
  if (columns.size() > kDescribedColumns) {
    warnings.push_back(fmt::format("Only the first {} of {} columns are described; name others in `columns`.",
                                   kDescribedColumns, columns.size()));
    columns.resize(kDescribedColumns);
  }
  return columns;
}

}  // namespace

Result<protocol::ToolResult> describe_dataset(const DatasetTools& tools, const json::Object& arguments,
                                              catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  std::vector<std::string> warnings = subject.table->notes;
  SLUICE_TRY(const Columns columns, wanted_columns(subject, arguments, warnings));
  SLUICE_TRY(const Facts facts, column_facts_of(subject, columns, limits_of(context)));
  if (!facts.has_exact_distinct) {
    warnings.push_back(
        fmt::format("Too large to count distinct values in time: distinct_estimate is within about {:.0f} % "
                    "of their number, and frequent values are left out. distinct_values counts one column.",
                    100 * kSketchError));
  } else if (!facts.has_top) {
    warnings.emplace_back(
        "Too large to find the frequent values of all columns in time; distinct_values finds those of one.");
  }
  const Budget budget = within_envelope(tools.budget(arguments, warnings));
  const std::uint64_t bytes_max = std::min(budget.bytes, budget.tokens * 4);
  std::string described;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string one = column_json(*columns[i], facts, i);
    if (described.size() + one.size() > bytes_max) {
      warnings.push_back(
          fmt::format("Only {} of {} columns fit this answer; name others in `columns`.", i, columns.size()));
      break;
    }
    described += (i > 0 ? "," : "") + one;
  }
  json::Writer out;
  out.begin_object();
  write_identity(out, *subject.dataset);
  out.field("rows", facts.rows);
  if (!subject.table->encoding_known_by.empty() && subject.table->encoding != "UTF-8")
    out.field("encoding", subject.table->encoding);
  write_warnings(out, warnings);
  out.raw_field("columns", "[" + described + "]").end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::datasets
