#include <algorithm>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/json/object_reader.h"
#include "sluice/records/columns.h"

#include "aggregation.h"
#include "page.h"
#include "record_query.h"
#include "tools.h"

namespace sluice::records_provider {

namespace {

using engine::quote_name;

constexpr std::size_t kKeysMax = 100;

// A page of an aggregation's rows.
Result<Page> groups_page(const RecordTools& tools, const records::View& groups,
                         const records::Condition& condition, const json::Object& arguments,
                         const catalog::Context& context) {
  SLUICE_TRY(const PageRequest request, page_request(arguments, kUsualLimit));
  RowsQuery query{.relation = groups.relation};
  SLUICE_TRY(query.select, select_list(groups.columns, {}));
  SLUICE_TRY(query.order, order_of(tools, arguments, groups));
  query.condition.parameters = condition.parameters;  // They stand inside of the relation.
  return read_page(*groups.engine, query, request, tools.budget(), limits_of(context));
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

Result<std::uint64_t> count_where(const records::View& view, const std::string& where,
                                  const records::Condition& condition, const engine::RunLimits& limits) {
  const engine::Statement statement{
      .sql = fmt::format("SELECT count(*) FROM {} WHERE {}", view.relation, where),
      .parameters = condition.parameters};
  SLUICE_TRY(const std::unique_ptr<engine::Rows> rows, view.engine->query(statement, limits));
  SLUICE_TRY(const engine::Batch* batch, rows->next());
  return batch == nullptr ? 0 : static_cast<std::uint64_t>(batch->columns.front().at<std::int64_t>(0));
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

// A bound as a parameter, or an error where it is no date.
Result<std::string> bound(const std::string& text, const records::View& view, records::Condition& condition) {
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
  condition.parameters.emplace_back(text);
  return fmt::format(fmt::runtime(kForm), fmt::format("${}", condition.parameters.size()));
}

// The filters and both bounds.
Result<records::Condition> range_condition(const json::Object& arguments, const records::View& view,
                                           const std::string& time) {
  const json::ObjectReader in(arguments, "");
  SLUICE_TRY(records::Condition out, condition_of(arguments, "filters", view));
  out.sql += fmt::format(" AND {} IS NOT NULL", time);
  SLUICE_TRY(const std::optional<std::string> start, in.optional_string("date_start"));
  SLUICE_TRY(const std::optional<std::string> end, in.optional_string("date_end"));
  if (start) {
    SLUICE_TRY(const std::string least, bound(*start, view, out));
    out.sql += fmt::format(" AND {} >= {}", time, least);
  }
  if (end) {
    SLUICE_TRY(const std::string most, bound(*end, view, out));
    out.sql += fmt::format(" AND {} <= {}", time, most);
  }
  return out;
}

// A date stands for its midnight, so `date_end` leaves the rest of that day out. How many records that
// concerns; 0 where it is no plain date.
Result<std::uint64_t> left_out_by_end(const json::Object& arguments, const records::View& view,
                                      const std::string& time, const engine::RunLimits& limits) {
  constexpr std::size_t kDateBytes = 10;
  SLUICE_TRY(const std::optional<std::string> end,
             json::ObjectReader(arguments, "").optional_string("date_end"));
  if (!end || end->size() != kDateBytes) return 0;
  SLUICE_TRY(records::Condition condition, condition_of(arguments, "filters", view));
  SLUICE_TRY(const std::string midnight, bound(*end, view, condition));
  const std::string where =
      fmt::format("{0} AND {1} > {2} AND {1} < {2} + INTERVAL 1 DAY", condition.sql, time, midnight);
  return count_where(view, where, condition, limits);
}

void write_left_out(json::Writer& out, std::uint64_t rows, const json::Object& arguments) {
  if (rows == 0) return;
  const std::string end = *arguments.find("date_end")->if_string();
  out.field("left_out_on_date_end", rows);
  out.field("hint", fmt::format("{0} records of {1} are later than its midnight and left out; date_end "
                                "{1}T23:59:59.999999 includes them.",
                                rows, end));
}

Result<Page> rows_in_range(const RecordTools& tools, const Subject& subject,
                           const records::Condition& condition, const json::Object& arguments,
                           const catalog::Context& context) {
  const records::View& view = subject.view;
  SLUICE_TRY(const PageRequest request, page_request(arguments, kUsualLimit));
  RowsQuery query{.relation = view.relation, .condition = condition};
  SLUICE_TRY(query.select, select_list(view.columns, {}));
  SLUICE_TRY(query.order, order_of(tools, arguments, view));
  return read_page(*view.engine, query, request, tools.budget(), limits_of(context));
}

}  // namespace

Result<protocol::ToolResult> aggregate_parquet(const RecordTools& tools, const json::Object& arguments,
                                               catalog::Context& context) {
  SLUICE_TRY(const Subject subject, tools.open(arguments, context));
  const records::View& view = subject.view;
  SLUICE_TRY(const records::Condition condition, condition_of(arguments, "filters", view));
  Grouping grouping{.where = condition.sql};
  SLUICE_TRY(grouping.keys, keys_of(arguments, view));
  SLUICE_TRY(grouping.aggregates, aggregates_of(arguments, view));
  std::string without_key;
  for (const Aggregate& key : grouping.keys) {
    grouping.where += fmt::format(" AND {} IS NOT NULL", key.sql);
    without_key += fmt::format("{}{} IS NULL", without_key.empty() ? "" : " OR ", key.sql);
  }
  SLUICE_TRY(const records::View groups, grouped_view(view, grouping, condition.parameters));
  SLUICE_TRY(const Page page, groups_page(tools, groups, condition, arguments, context));
  json::Writer out;
  out.begin_object().field("count", page.size).field("total_groups", page.total);
  if (!without_key.empty()) {
    SLUICE_TRY(const std::uint64_t rows,
               count_where(view, fmt::format("{} AND ({})", condition.sql, without_key), condition,
                           limits_of(context)));
    if (rows > 0) out.field("rows_without_key", rows);
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
  SLUICE_TRY(const records::Condition condition, range_condition(arguments, view, time));
  SLUICE_TRY(const std::optional<std::string> period, in.optional_string("group_by_period"));
  Page page;
  if (period) {
    Grouping grouping{.keys = {{.name = "period", .sql = period_sql(*period, time)}}, .where = condition.sql};
    SLUICE_TRY(grouping.aggregates, aggregates_of(arguments, view));
    grouping.keys_last = !grouping.aggregates.empty();
    if (grouping.aggregates.empty()) grouping.aggregates.push_back({.name = "count", .sql = "count(*)"});
    SLUICE_TRY(const records::View groups, grouped_view(view, grouping, condition.parameters));
    SLUICE_TRY(page, groups_page(tools, groups, condition, arguments, context));
  } else {
    SLUICE_TRY(page, rows_in_range(tools, subject, condition, arguments, context));
  }
  SLUICE_TRY(const std::uint64_t left_out, left_out_by_end(arguments, view, time, limits_of(context)));
  json::Writer out;
  out.begin_object().field("count", page.size).field("total_rows", page.total);
  write_page_notes(out, page);
  write_left_out(out, left_out, arguments);
  out.field("version", view.version).raw_field("data", page.rows).end_object();
  return protocol::json_text_result(std::move(out).take());
}

}  // namespace sluice::records_provider
