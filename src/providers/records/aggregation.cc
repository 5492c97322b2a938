#include "aggregation.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"
#include "sluice/records/columns.h"

namespace sluice::records_provider {

namespace {

using engine::Field;
using engine::quote_name;
using engine::TypeId;

constexpr std::size_t kAggregatesMax = 200;
constexpr std::string_view kFunctions = "sum count avg mean min max std first last";

Error invalid_aggregate(std::string_view what, std::string_view value) {
  return invalid_input(fmt::format("aggregations: {}: {}", what, excerpt(value)))
      .with_code("invalid_aggregate")
      .with_hint(fmt::format(
          "{{column: function or [functions]}}; functions: {}. All but count, min, max, first and "
          "last need numbers.",
          kFunctions));
}

// A column as arithmetic sees it; empty where it has no numbers.
std::string number_sql(const Field& column) {
  if (column.type.id == TypeId::kBool) return fmt::format("CAST({} AS INTEGER)", quote_name(column.name));
  return engine::is_number(column.type.id) ? quote_name(column.name) : "";
}

Result<Aggregate> aggregate_of(const Field& column, const std::string& function) {
  const std::string name = quote_name(column.name);
  const std::string number = number_sql(column);
  const bool is_mean = function == "avg" || function == "mean";
  Aggregate out{.name = fmt::format("{}_{}", column.name, is_mean ? "mean" : function), .sql = ""};
  if (function == "count") {
    out.sql = fmt::format("count({})", name);
  } else if (function == "min" || function == "max") {
    out.sql = fmt::format("{}({})", function, name);
  } else if (function == "first") {
    out.sql = fmt::format("arg_min({}, {})", name, quote_name(records::kRowColumn));
  } else if (function == "last") {
    out.sql = fmt::format("arg_max({}, {})", name, quote_name(records::kRowColumn));
  } else if (function != "sum" && function != "std" && !is_mean) {
    return invalid_aggregate("unknown function", function);
  } else if (number.empty()) {
    return invalid_aggregate(
        fmt::format("{} of a column of type {}", function, engine::sql_name(column.type)), column.name);
  } else if (function == "sum") {
    out.sql = fmt::format("coalesce(sum({}), 0)", number);
  } else if (function == "std") {
    // The engine refuses what is not finite.
    out.sql =
        fmt::format("stddev_samp(CAST({0} AS DOUBLE)) FILTER (WHERE isfinite(CAST({0} AS DOUBLE)))", number);
  } else {
    out.sql = fmt::format("avg({})", number);
  }
  return out;
}

std::string select_of(const std::vector<Aggregate>& columns) {
  std::string out;
  for (const Aggregate& one : columns) out += fmt::format("{} AS {}, ", one.sql, quote_name(one.name));
  return out;
}

}  // namespace

Result<std::vector<Aggregate>> compile_aggregations(const json::Object& aggregations,
                                                    const records::View& view) {
  std::vector<Aggregate> out;
  std::vector<std::string> unknown;
  for (const json::Member& member : aggregations) {
    if (view.find(member.key) == nullptr) unknown.push_back(member.key);
  }
  if (!unknown.empty())
    return records::unknown_columns(view.columns, unknown, "Aggregation columns not found");
  for (const json::Member& member : aggregations) {
    const Field& column = *view.find(member.key);
    const json::Array one{member.value};
    for (const json::Value& function : member.value.is_array() ? *member.value.if_array() : one) {
      const std::string* name = function.if_string();
      if (name == nullptr) return invalid_aggregate("a function is a text", column.name);
      SLUICE_TRY(Aggregate aggregate, aggregate_of(column, *name));
      const auto same = [&](const Aggregate& other) { return other.name == aggregate.name; };
      if (std::none_of(out.begin(), out.end(), same)) out.push_back(std::move(aggregate));
      if (out.size() > kAggregatesMax) {
        return limit_reached("aggregations", kAggregatesMax)
            .with_code("too_many_values")
            .with_hint("Ask in several calls.");
      }
    }
  }
  return out;
}

Result<records::View> grouped_view(const records::View& view, const Grouping& grouping) {
  std::set<std::string> names;
  std::string keys;
  for (const Aggregate& key : grouping.keys) {
    names.insert(key.name);
    keys += (keys.empty() ? "" : ", ") + key.sql;
  }
  for (const Aggregate& one : grouping.aggregates) {
    if (!names.insert(one.name).second)
      return invalid_aggregate("two result columns have one name", one.name);
  }
  const std::string key_columns = select_of(grouping.keys);
  const std::string value_columns = select_of(grouping.aggregates);
  records::View out;
  out.data_type = view.data_type;
  out.engine = view.engine;
  out.pin = view.pin;
  out.parameters = view.parameters;
  out.relation =
      fmt::format("(SELECT {}{}row_number() OVER ({}) AS {} FROM {}{}) AS groups",
                  grouping.keys_last ? value_columns : key_columns,
                  grouping.keys_last ? key_columns : value_columns, keys.empty() ? "" : "ORDER BY " + keys,
                  quote_name(records::kRowColumn), view.relation, keys.empty() ? "" : " GROUP BY " + keys);
  SLUICE_TRY(engine::Description description,
             view.engine->describe({.sql = "SELECT * FROM " + out.relation, .parameters = out.parameters}));
  out.columns = std::move(description.columns);
  if (!out.columns.empty()) out.columns.pop_back();
  return out;
}

}  // namespace sluice::records_provider
