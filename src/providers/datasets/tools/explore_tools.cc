#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/object_reader.h"
#include "sluice/query/statement.h"
#include "sluice/render/feed.h"

#include "answer/filter_token.h"
#include "answer/result_json.h"
#include "tools/tools.h"

namespace sluice::datasets {

namespace {

using engine::Field;
using engine::quote_name;
using expression::Question;

constexpr std::int64_t kDistinctLimit = 100;

// The rows of a small question as JSON, within the budget.
struct SmallAnswer {
  std::string rows;
  std::uint64_t size = 0;
  bool complete = true;
};
// `outer` is a SELECT over what the question gives, which it calls `answer`.
Result<SmallAnswer> small_answer(const Subject& subject, const Question& question, std::string_view outer,
                                 const render::JsonOptions& options, const catalog::Context& context) {
  SLUICE_TRY(const query::Relation relation,
             subject.dataset->open(*subject.table, limits_of(context), &question));
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows,
             subject.engine->query(query::statement_around(outer, question, *subject.table, relation),
                                   limits_of(context)));
  render::JsonRows out(rows->columns(), options);
  SmallAnswer answer;
  SLUICE_TRY(answer.complete, render::feed(*rows, out));
  answer.size = out.meter().rows();
  answer.rows = std::move(out).take();
  return answer;
}

// A question for the values of a column with their number.
query::QueryArguments counted_values(const Field& column, const std::vector<query::Filter>& filters) {
  return {.filters = filters,
          .grouped = true,
          .group_by = {column.name},
          .aggregates = {{.fn = query::AggregateFn::kCount}}};
}

}  // namespace

Result<protocol::ToolResult> distinct_values(const DatasetTools& tools, const json::Object& arguments,
                                             catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string name, in.required_string("column"));
  SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> min_count, in.optional_int("min_count"));
  SLUICE_TRY(const Field* column, query::find_column(subject.table->columns, name));
  SLUICE_TRY(const query::QueryArguments filters, read_question(tools, arguments, context));
  const query::QueryArguments counted = counted_values(*column, filters.filters);
  SLUICE_TRY(const Question question,
             query::compile(counted, *subject.table, subject.dataset->collection(), subject.guard));
  std::vector<std::string> warnings;
  Budget budget = within_envelope(tools.budget(arguments, warnings));
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(1, limit.value_or(kDistinctLimit)));
  const bool is_own_limit = limit.has_value() && most <= budget.rows;
  budget.rows = std::min(budget.rows, most);
  // Positions: a column may be called `count` or `value` itself.
  const std::string outer = fmt::format(
      "SELECT {0} AS \"value\", {1} AS \"count\" FROM answer WHERE {1} >= {2} ORDER BY 2 DESC, 1 NULLS LAST "
      "LIMIT {3}",
      quote_name(column->name), quote_name(query::named_aggregates(counted).front().name),
      std::max<std::int64_t>(1, min_count.value_or(1)), budget.rows + 1);
  SLUICE_TRY(const SmallAnswer answer, small_answer(subject, question, outer, {.budget = budget}, context));
  json::Writer out;
  out.begin_object();
  write_identity(out, *subject.dataset);
  // Values behind the caller's own limit were not asked for.
  const bool is_limited = is_own_limit && answer.size == budget.rows && !answer.complete;
  out.field("column", column->name).field("size", answer.size);
  out.field("has_more", !answer.complete && !is_limited);
  if (is_limited) out.field("limited", true);
  write_warnings(out, warnings);
  out.raw_field("values", answer.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::datasets
