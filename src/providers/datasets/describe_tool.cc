#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"
#include "sluice/query/statement.h"
#include "sluice/render/cell.h"

#include "result_json.h"
#include "tools.h"

namespace sluice::datasets {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;
using expression::Question;

constexpr int kTopValues = 3;
constexpr int kValueCharacters = 80;
constexpr std::size_t kDescribedColumns = 60;
constexpr std::chrono::seconds kExactTime{2};  // For distinct values, and again for the frequent ones.
// The engine's sketch has 64 registers: its standard error is 1.04 / sqrt(64) = 13 %, and this is three of
// it.
constexpr double kSketchError = 0.4;

using Columns = std::vector<const Field*>;

bool is_ordered(const Field& column) {
  return !engine::is_nested(column.type.id) && column.type.id != TypeId::kBlob;
}

// Text that is not longer than is shown of a value; anything else as it is.
std::string shown(const Field& column, const std::string& sql) {
  if (column.type.id != TypeId::kText) return sql;
  return fmt::format("CASE WHEN length({0}) > {1} THEN left({0}, {1}) || '…' ELSE {0} END", sql,
                     kValueCharacters);
}

enum class Distinct : std::uint8_t { kExact, kSketch };

// Of each column: values, distinct values, least, greatest and mean. Then the number of rows.
Question statistics(const Columns& columns, Distinct distinct) {
  Question question;
  for (const Field* column : columns) {
    const std::string name = quote_name(column->name);
    const bool ordered = is_ordered(*column);
    const auto extreme = [&](std::string_view fn) {
      return ordered ? shown(*column, fmt::format("{}({})", fn, name)) : std::string("NULL");
    };
    question.sql += fmt::format(
        "count({0}), {1}, {2}, {3}, {4}, ", name,
        (distinct == Distinct::kExact ? "count(DISTINCT " : "approx_count_distinct(") + name + ")",
        extreme("min"), extreme("max"),
        engine::is_number(column->type.id) ? fmt::format("avg({})", name) : "NULL");
  }
  question.sql = "SELECT " + question.sql + "count(*) FROM data";
  return question;
}
constexpr std::size_t kStatistics = 5;  // Of each column.

// Of each column the most frequent values with their numbers, equally frequent ones in their order.
Question frequent_values(const Columns& columns) {
  Question question;
  for (const Field* column : columns) {
    const std::string name = quote_name(column->name);
    question.sql += question.sql.empty() ? "SELECT " : ", ";
    question.sql += is_ordered(*column)
                        ? fmt::format(
                              "(SELECT list({{'value': {1}, 'count': n}} ORDER BY n DESC, v) FROM (SELECT v, "
                              "count(*) AS n FROM (SELECT {0} AS v FROM data) WHERE v IS NOT NULL GROUP BY v "
                              "ORDER BY n DESC, v LIMIT {2}))",
                              name, shown(*column, "v"), kTopValues)
                        : std::string("NULL");
  }
  return question;
}

// The cells of the one row that a question gives, as JSON.
Result<std::vector<std::string>> one_row(const Subject& subject, const Question& question,
                                         const engine::RunLimits& limits) {
  SLUICE_TRY(const query::Relation relation, subject.dataset->open(*subject.table, limits, &question));
  SLUICE_TRY(
      const std::unique_ptr<engine::Rows> rows,
      subject.engine->query(query::statement_of(question, *subject.table, relation, std::nullopt), limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  if (batch == nullptr) return internal_error("describe: no row");
  std::vector<std::string> out;
  for (const engine::Column& column : batch->columns) render::append_json(out.emplace_back(), column, 0);
  return out;
}

struct Facts {
  std::vector<std::string> statistics;  // kStatistics of each column, then the number of rows.
  bool has_exact_distinct = true;
  std::vector<std::string> top;  // Of each column; empty: not counted in time.
};

// Whether a statement ran out of its own time, and not out of the request's.
bool is_out_of_time(const Error& error, const engine::RunLimits& request) {
  return error.kind == ErrorKind::kDeadline && system_clock().now() < request.deadline;
}

// The engine holds every distinct value while it counts them. Where they are too many for its memory,
// counting them has failed as if it took too long.
bool gives_up(const Error& error, const engine::RunLimits& request) {
  return is_out_of_time(error, request) || error.kind == ErrorKind::kLimitReached;
}

Result<Facts> facts_of(const Subject& subject, const Columns& columns, const engine::RunLimits& request) {
  const auto in_time = [&request] {
    return engine::RunLimits{.deadline = std::min(request.deadline, system_clock().now() + kExactTime),
                             .stop = request.stop};
  };
  Facts out;
  Result<std::vector<std::string>> exact = one_row(subject, statistics(columns, Distinct::kExact), in_time());
  if (!exact.ok() && !gives_up(exact.error(), request)) return std::move(exact).error();
  out.has_exact_distinct = exact.ok();
  if (!exact.ok()) {
    SLUICE_TRY(out.statistics, one_row(subject, statistics(columns, Distinct::kSketch), request));
    return out;
  }
  out.statistics = *std::move(exact);
  Result<std::vector<std::string>> top = one_row(subject, frequent_values(columns), in_time());
  if (!top.ok() && !gives_up(top.error(), request)) return std::move(top).error();
  if (top.ok()) out.top = *std::move(top);
  return out;
}

std::int64_t number_of(const std::string& json) { return std::atoll(json.c_str()); }

std::string column_json(const Field& column, const Facts& facts, std::size_t index) {
  const auto cell = [&](std::size_t i) -> const std::string& {
    return facts.statistics[index * kStatistics + i];
  };
  json::Writer out;
  out.begin_object().field("column", column.name).field("dtype", engine::polars_name(column.type));
  out.raw_field("count", cell(0));
  out.field("nulls", number_of(facts.statistics.back()) - number_of(cell(0)));
  out.raw_field(facts.has_exact_distinct ? "distinct" : "distinct_estimate", cell(1));
  if (!facts.has_exact_distinct) out.field("distinct_error", kSketchError);
  if (is_ordered(column)) out.raw_field("min", cell(2)).raw_field("max", cell(3));
  if (engine::is_number(column.type.id)) out.raw_field("mean", cell(4));
  if (is_ordered(column) && !facts.top.empty())
    out.raw_field("top", facts.top[index] == "null" ? "[]" : facts.top[index]);
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

Result<protocol::ToolResult> describe_dataset(const Desk& desk, const json::Object& arguments,
                                              catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  std::vector<std::string> warnings = subject.table->notes;
  SLUICE_TRY(const Columns columns, wanted_columns(subject, arguments, warnings));
  SLUICE_TRY(const Facts facts, facts_of(subject, columns, limits_of(context)));
  if (!facts.has_exact_distinct) {
    warnings.push_back(
        fmt::format("Too large to count distinct values in time: distinct_estimate is within about {:.0f} % "
                    "of their number, and frequent values are left out. distinct_values counts one column.",
                    100 * kSketchError));
  } else if (facts.top.empty()) {
    warnings.emplace_back(
        "Too large to find the frequent values of all columns in time; distinct_values finds those of one.");
  }
  const Budget budget = within_envelope(desk.budget(arguments, warnings));
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
  out.raw_field("rows", facts.statistics.back());
  if (!subject.table->encoding_known_by.empty() && subject.table->encoding != "UTF-8")
    out.field("encoding", subject.table->encoding);
  write_warnings(out, warnings);
  out.raw_field("columns", "[" + described + "]").end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::datasets
