#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"
#include "sluice/records/view_plan.h"

#include "aggregation.h"
#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::quote_name;

constexpr std::size_t kKeysMax = 100;

// A page of a view's rows, in their order or by `sort_by`.
Result<Page> sorted_page(const RecordTools& tools, const records::View& view, const json::Object& arguments,
                         const catalog::Context& context) {
  SLUICE_TRY(const PageRequest request, page_request(arguments, kUsualLimit));
  SLUICE_TRY(const RowsQuery query, rows_query(tools, arguments, context, view, {}));
  return read_page(query, request, tools.budget(), limits_of(context));
}

Result<std::vector<Aggregate>> aggregates_of(const json::Object& arguments, const records::View& view) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::optional<json::ObjectReader> wanted, in.optional_object("aggregations"));
  if (!wanted) return std::vector<Aggregate>();
  return compile_aggregations(wanted->object(), view);
}

Result<std::vector<Aggregate>> keys_of(const json::Object& arguments, const records::View& view) {
  SLUICE_TRY(const std::vector<std::string> names,
             json::ObjectReader(arguments, "").optional_strings("group_by"));
  if (names.size() > kKeysMax) {
    return limit_reached("columns of group_by", kKeysMax)
        .with_code("too_many_values")
        .with_hint("Group by fewer.");
  }
  std::vector<Aggregate> out;
  std::vector<std::string> unknown;
  for (const std::string& name : names) {
    if (view.find(name) == nullptr) unknown.push_back(name);
    const auto same = [&](const Aggregate& other) { return other.name == name; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back({.name = name, .sql = quote_name(name)});
  }
  if (!unknown.empty()) return records::unknown_columns(view.columns, unknown, "Group by columns not found");
  return out;
}

// The beginning of a period as the text that names it; {} is a timestamp.
std::string period_sql(std::string_view period, const std::string& time) {
  if (period == "day") return fmt::format("strftime({}, '%Y-%m-%d')", time);
  if (period == "week") {
    return fmt::format(
        "strftime(date_trunc('week', {0}), '%Y-%m-%d') || '/' || strftime(date_trunc('week', {0}) + INTERVAL "
        "6 DAY, "
        "'%Y-%m-%d')",
        time);
  }
  if (period == "month") return fmt::format("strftime({}, '%Y-%m')", time);
  if (period == "quarter") return fmt::format("strftime({0}, '%Y') || 'Q' || quarter({0})", time);
  return fmt::format("strftime({}, '%Y')", time);
}

Result<std::string> date_column(const json::Object& arguments, const records::View& view) {
  SLUICE_TRY(const std::string name, json::ObjectReader(arguments, "").required_string("date_column"));
  const engine::Field* column = view.find(name);
  if (column == nullptr) {
    return records::unknown_columns(view.columns, std::span(&name, 1), "Date column not found");
  }
  std::string time = timestamp_of(*column);
  if (time.empty()) {
    return invalid_input(
               fmt::format("date_column {} is of type {}", excerpt(name), engine::sql_name(column->type)))
        .with_code("wrong_type")
        .with_hint("Name a date, a timestamp, or a column of text in ISO 8601.");
  }
  return time;
}

// A bound as a parameter of the view, or an error where it is no date.
Result<std::string> bound(const std::string& text, records::View& view) {
  constexpr std::string_view kForm = "make_timestamp(epoch_us(TRY_CAST({} AS TIMESTAMPTZ)))";
  SLUICE_TRY(
      const std::unique_ptr<engine::Rows> rows,
      view.engine->query({.sql = fmt::format(fmt::runtime(kForm), "$1").insert(0, "SELECT ") + " IS NULL",
                          .parameters = {text}},
                         {}));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  if (batch == nullptr || batch->columns.front().at<bool>(0)) {
    return invalid_input("not a date: " + excerpt(text))
        .with_code("wrong_type")
        .with_hint("Dates are text in ISO 8601: 2025-01-31 or 2025-01-31T12:00:00Z.");
  }
  view.parameters.emplace_back(text);
  return fmt::format(fmt::runtime(kForm), fmt::format("${}", view.parameters.size()));
}

records::View restricted(records::View view, const std::string& where) {
  view.relation = fmt::format("(SELECT * FROM {} WHERE {}) AS records", view.relation, where);
  return view;
}

// The rows of the view between both bounds.
Result<records::View> rows_in_range(const json::Object& arguments, records::View view,
                                    const std::string& time) {
  const json::ObjectReader in(arguments, "");
  std::string where = time + " IS NOT NULL";
  SLUICE_TRY(const std::optional<std::string> start, in.optional_string("date_start"));
  SLUICE_TRY(const std::optional<std::string> end, in.optional_string("date_end"));
  if (start) {
    SLUICE_TRY(const std::string least, bound(*start, view));
    where += fmt::format(" AND {} >= {}", time, least);
  }
  if (end) {
    SLUICE_TRY(const std::string most, bound(*end, view));
    where += fmt::format(" AND {} <= {}", time, most);
  }
  return restricted(std::move(view), where);
}

// A date stands for its midnight, so `date_end` leaves the rest of that day out. How many records that
// concerns; 0 where it is no plain date.
Result<std::uint64_t> left_out_by_end(const json::Object& arguments, records::View view,
                                      const std::string& time, const plan::Guard& guard,
                                      const engine::RunLimits& limits) {
  constexpr std::size_t kDateBytes = 10;
  SLUICE_TRY(const std::optional<std::string> end,
             json::ObjectReader(arguments, "").optional_string("date_end"));
  if (!end || end->size() != kDateBytes) return 0;
  SLUICE_TRY(const std::string midnight, bound(*end, view));
  const records::View later =
      restricted(std::move(view), fmt::format("{0} > {1} AND {0} < {1} + INTERVAL 1 DAY", time, midnight));
  return count_rows(later, records::scan_of(later), guard, limits);
}

void write_left_out(json::Writer& out, std::uint64_t rows, const json::Object& arguments) {
  if (rows == 0) return;
  const std::string end = *arguments.find("date_end")->if_string();
  out.field("left_out_on_date_end", rows);
  out.field("hint", fmt::format("{0} records of {1} are later than its midnight and left out; date_end "
                                "{1}T23:59:59.999999 includes them.",
                                rows, end));
}

}  // namespace

Result<protocol::ToolResult> aggregate_parquet(const RecordTools& tools, const json::Object& arguments,
                                               catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const records::View& view = subject.view;
  SLUICE_TRY(const plan::Condition condition, condition_of(arguments, "filters", view));
  Grouping grouping;
  SLUICE_TRY(grouping.keys, keys_of(arguments, view));
  SLUICE_TRY(grouping.aggregates, aggregates_of(arguments, view));
  std::vector<plan::Condition> with_keys{condition};
  std::vector<plan::Condition> without_key;
  for (const Aggregate& key : grouping.keys) {
    const auto column = static_cast<std::size_t>(view.find(key.name) - view.columns.data());
    with_keys.push_back(plan::is_not_null(column));
    without_key.push_back(plan::is_null(column));
  }
  SLUICE_TRY(const records::View rows,
             records::filtered_view(view, plan::all_of(std::move(with_keys)), tools.guard_of(context)));
  SLUICE_TRY(const records::View groups, grouped_view(rows, grouping));
  SLUICE_TRY(const Page page, sorted_page(tools, groups, arguments, context));
  json::Writer out;
  out.begin_object().field("count", page.size).field("total_groups", page.total);
  if (!without_key.empty()) {
    SLUICE_TRY(const plan::NodePtr left_out,
               plan::filter(records::scan_of(view),
                            plan::all_of({condition, plan::any_of(std::move(without_key))})));
    SLUICE_TRY(const std::uint64_t count,
               count_rows(view, left_out, tools.guard_of(context), limits_of(context)));
    if (count > 0) out.field("rows_without_key", count);
  }
  write_page_notes(out, page);
  out.field("version", view.version).raw_field("data", page.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

Result<protocol::ToolResult> query_with_date_range(const RecordTools& tools, const json::Object& arguments,
                                                   catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const records::View& view = subject.view;
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(const std::string time, date_column(arguments, view));
  SLUICE_TRY(const plan::Condition condition, condition_of(arguments, "filters", view));
  SLUICE_TRY(const records::View filtered, records::filtered_view(view, condition, tools.guard_of(context)));
  SLUICE_TRY(const records::View rows, rows_in_range(arguments, filtered, time));
  SLUICE_TRY(const std::optional<std::string> period, in.optional_string("group_by_period"));
  Page page;
  if (period) {
    Grouping grouping{.keys = {{.name = "period", .sql = period_sql(*period, time)}}};
    SLUICE_TRY(grouping.aggregates, aggregates_of(arguments, view));
    grouping.keys_last = !grouping.aggregates.empty();
    if (grouping.aggregates.empty()) grouping.aggregates.push_back({.name = "count", .sql = "count(*)"});
    SLUICE_TRY(const records::View groups, grouped_view(rows, grouping));
    SLUICE_TRY(page, sorted_page(tools, groups, arguments, context));
  } else {
    SLUICE_TRY(page, sorted_page(tools, rows, arguments, context));
  }
  SLUICE_TRY(const std::uint64_t left_out,
             left_out_by_end(arguments, filtered, time, tools.guard_of(context), limits_of(context)));
  json::Writer out;
  out.begin_object().field("count", page.size).field("total_rows", page.total);
  write_page_notes(out, page);
  write_left_out(out, left_out, arguments);
  out.field("version", view.version).raw_field("data", page.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
