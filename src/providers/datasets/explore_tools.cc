#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"
#include "sluice/query/statement.h"
#include "sluice/render/feed.h"

#include "filter_token.h"
#include "result_json.h"
#include "tools.h"

namespace sluice::datasets {

namespace {

using engine::Field;
using engine::quote_name;
using expression::Question;

constexpr std::string_view kCountColumn = "count";  // As an answer names the number of rows.
constexpr std::int64_t kDistinctLimit = 100;
constexpr int kTopValues = 3;
constexpr int kValueCharacters = 80;
constexpr std::size_t kDescribedColumns = 60;

// The rows of a small question as JSON, within the budget.
struct SmallAnswer {
  std::string rows;
  std::uint64_t size = 0;
  bool complete = true;
};
// `outer` is a SELECT over what the question gives, which it calls `answer`. Empty: all of it.
Result<SmallAnswer> small_answer(const Subject& subject, const Question& question, std::string_view outer,
                                 const render::JsonOptions& options, const catalog::Context& context) {
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  const engine::Statement statement =
      outer.empty() ? query::statement_of(question, *subject.table, relation, question.limit)
                    : query::statement_around(outer, question, *subject.table, relation);
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, subject.engine->query(statement, limits_of(context)));
  render::JsonRows out(rows->columns(), options);
  SmallAnswer answer;
  SLUICE_TRY(answer.complete, render::feed(*rows, out));
  answer.size = out.meter().rows();
  answer.rows = std::move(out).take();
  return answer;
}

// Count, nulls, extremes, distinct values and the most frequent ones of one column, as a struct of one
// aggregation: all columns are described in one pass.
std::string column_statistics(const Field& column) {
  const std::string name = quote_name(column.name);
  const bool nested = engine::is_nested(column.type.id);
  const bool ordered = !nested && column.type.id != engine::TypeId::kBlob;
  const std::string text = fmt::format("left(CAST({} AS VARCHAR), {})", name, kValueCharacters);
  return fmt::format(
      "{{'column': {}, 'dtype': {}, 'count': count({}), 'nulls': count(*) - count({}), 'min': {}, 'max': {}, "
      "'distinct_estimate': approx_count_distinct({}), 'top': {}}}",
      engine::quote_text(column.name), engine::quote_text(engine::polars_name(column.type)), name, name,
      ordered ? fmt::format("left(CAST(min({}) AS VARCHAR), {})", name, kValueCharacters) : "NULL::VARCHAR",
      ordered ? fmt::format("left(CAST(max({}) AS VARCHAR), {})", name, kValueCharacters) : "NULL::VARCHAR",
      name, nested ? "NULL::VARCHAR[]" : fmt::format("approx_top_k({}, {})", text, kTopValues));
}

// The values of a column with their number, as `count`.
Result<Question> counted_values(const Subject& subject, const Field& column,
                                const std::vector<query::Filter>& filters) {
  query::Knobs knobs{.filters = filters};
  if (column.name != kCountColumn) {
    knobs.grouped = true;
    knobs.group_by = {column.name};
    knobs.aggregates = {{.fn = query::AggregateFn::kCount}};
    return query::compile(knobs, *subject.table, subject.dataset->collection());
  }
  knobs.columns = {column.name};
  SLUICE_TRY(Question question, query::compile(knobs, *subject.table, subject.dataset->collection()));
  question.sql =
      fmt::format("SELECT \"count\" AS \"value\", count(*) AS \"count\" FROM ({}) GROUP BY 1", question.sql);
  return question;
}

}  // namespace

Result<protocol::ToolResult> distinct_values(const Desk& desk, const json::Object& arguments,
                                             catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string name, in.required_string("column"));
  SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> min_count, in.optional_int("min_count"));
  SLUICE_TRY(const Field* column, query::find_column(subject.table->columns, name));
  SLUICE_TRY(const query::Knobs filters, read_question(desk, arguments, context));
  SLUICE_TRY(const Question question, counted_values(subject, *column, filters.filters));
  std::vector<std::string> warnings;
  Budget budget = within_envelope(desk.budget(arguments, warnings));
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit.value_or(kDistinctLimit)));
  budget.rows = std::min(budget.rows, most);
  const std::string outer = fmt::format(
      "SELECT {0} AS \"value\", \"count\" FROM answer WHERE \"count\" >= {1} ORDER BY \"count\" DESC, {0} "
      "NULLS LAST "
      "LIMIT {2}",
      quote_name(column->name == kCountColumn ? "value" : column->name),
      std::max<std::int64_t>(1, min_count.value_or(1)), budget.rows + 1);
  SLUICE_TRY(const SmallAnswer answer, small_answer(subject, question, outer, {.budget = budget}, context));
  json::Writer out;
  out.begin_object();
  write_identity(out, *subject.dataset);
  out.field("column", column->name).field("size", answer.size).field("has_more", !answer.complete);
  write_warnings(out, warnings);
  out.raw_field("values", answer.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> describe_dataset(const Desk& desk, const json::Object& arguments,
                                              catalog::Context& context) {
  SLUICE_TRY(const Subject subject, desk.open(arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::vector<std::string> wanted, in.optional_strings("columns"));
  std::vector<const Field*> columns;
  for (const std::string& name : wanted) {
    SLUICE_TRY(columns.emplace_back(), query::find_column(subject.table->columns, name));
  }
  if (columns.empty()) {
    for (const Field& column : subject.table->columns) columns.push_back(&column);
  }
  std::vector<std::string> warnings;
  if (columns.size() > kDescribedColumns) {
    warnings.push_back(fmt::format("Only the first {} of {} columns are described; name others in `columns`.",
                                   kDescribedColumns, columns.size()));
    columns.resize(kDescribedColumns);
  }
  Question question;
  for (const Field* column : columns) {
    question.sql += (question.sql.empty() ? "" : ", ") + column_statistics(*column);
  }
  question.sql =
      fmt::format("SELECT s.* FROM (SELECT unnest(x) AS s FROM (SELECT [{}] AS x FROM data))", question.sql);
  const Budget budget = within_envelope(desk.budget(arguments, warnings));
  SLUICE_TRY(const SmallAnswer answer,
             small_answer(subject, question, "",
                          {.budget = budget, .cell_bytes_max = query::kPreviewCellBytes}, context));
  if (!answer.complete) warnings.emplace_back("Not all columns fit this answer; name fewer in `columns`.");
  json::Writer out;
  out.begin_object();
  write_identity(out, *subject.dataset);
  if (subject.dataset->count_state() == query::CountState::kExact)
    out.field("rows", subject.dataset->row_count());
  if (!subject.table->encoding_known_by.empty() && subject.table->encoding != "UTF-8")
    out.field("encoding", subject.table->encoding);
  write_warnings(out, warnings);
  out.raw_field("columns", answer.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::datasets
