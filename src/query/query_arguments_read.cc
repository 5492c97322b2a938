#include <array>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"
#include "sluice/query/query_arguments.h"

namespace sluice::query {

namespace {

constexpr std::size_t kFiltersMax = 1'000;
constexpr std::size_t kNamesMax = 4'096;  // Columns, groups, aggregates and orders, each.

constexpr std::array kOps = {
    std::pair{std::string_view("eq"), FilterOp::kEq},
    std::pair{std::string_view("neq"), FilterOp::kNeq},
    std::pair{std::string_view("in"), FilterOp::kIn},
    std::pair{std::string_view("contains"), FilterOp::kContains},
    std::pair{std::string_view("regex"), FilterOp::kRegex},
    std::pair{std::string_view("range"), FilterOp::kRange},
    std::pair{std::string_view("normalized_contains"), FilterOp::kNormalizedContains},
    std::pair{std::string_view("gt"), FilterOp::kGt},
    std::pair{std::string_view("gte"), FilterOp::kGte},
    std::pair{std::string_view("lt"), FilterOp::kLt},
    std::pair{std::string_view("lte"), FilterOp::kLte},
    std::pair{std::string_view("is_null"), FilterOp::kIsNull},
};

constexpr std::array kFns = {
    std::pair{std::string_view("sum"), AggregateFn::kSum},
    std::pair{std::string_view("avg"), AggregateFn::kAvg},
    std::pair{std::string_view("min"), AggregateFn::kMin},
    std::pair{std::string_view("max"), AggregateFn::kMax},
    std::pair{std::string_view("median"), AggregateFn::kMedian},
    std::pair{std::string_view("count"), AggregateFn::kCount},
    std::pair{std::string_view("count_distinct"), AggregateFn::kCountDistinct},
};

template <typename Names>
std::string list_of(const Names& names) {
  std::string out;
  for (const auto& [name, value] : names) (out += out.empty() ? "" : ", ") += name;
  return out;
}

template <typename Names>
auto find_name(const Names& names, std::string_view text) -> std::optional<decltype(names.front().second)> {
  for (const auto& [name, value] : names) {
    if (name == text) return value;
  }
  return std::nullopt;
}

template <typename Names>
std::string name_hint(const Names& names, std::string_view wrong) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names) known.emplace_back(name);
  const std::string nearest = nearest_name(wrong, known);
  return (nearest.empty() ? "" : fmt::format("Did you mean {}? ", nearest)) + "Known: " + list_of(names) +
         ".";
}

Error too_many(std::string_view what, std::size_t limit) {
  return limit_reached(what, limit)
      .with_code("too_many_values")
      .with_hint("Ask in several calls, or use `in`.");
}

Result<Filter> read_filter(const json::Value& value, std::size_t index) {
  const std::string path = fmt::format("filters[{}]", index);
  SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(value, path));
  Filter filter;
  SLUICE_TRY(filter.column, in.required_string("col"));
  SLUICE_TRY(const std::string op, in.required_string("op"));
  const auto known = find_name(kOps, op);
  if (!known) {
    return invalid_input(fmt::format("{}: unknown operator: {}", path, excerpt(op)))
        .with_code("invalid_filter")
        .with_hint(name_hint(kOps, op));
  }
  filter.op = *known;
  const json::Value* operand = in.find("value");
  if (operand == nullptr && filter.op != FilterOp::kIsNull) {
    return invalid_input(fmt::format("{}: value is missing", path)).with_code("invalid_filter");
  }
  if (operand != nullptr) filter.value = *operand;
  return filter;
}

Result<Aggregate> aggregate_of(const std::string& column, const std::string& fn) {
  const auto known = find_name(kFns, fn);
  if (!known) {
    return invalid_input(fmt::format("unknown aggregate function: {}", excerpt(fn)))
        .with_code("invalid_aggregate")
        .with_hint(name_hint(kFns, fn));
  }
  if ((column.empty() || column == "*") && *known != AggregateFn::kCount) {
    return invalid_input(fmt::format("aggregate {} needs a column", fn)).with_code("invalid_aggregate");
  }
  return Aggregate{.column = column == "*" ? "" : column, .fn = *known};
}

// A list of {col, fn}, or a map of column to function or functions.
Result<std::vector<Aggregate>> read_aggregates(const json::Value& value) {
  std::vector<Aggregate> out;
  if (const json::Array* list = value.if_array()) {
    if (list->size() > kNamesMax) return too_many("aggregates", kNamesMax);
    for (std::size_t i = 0; i < list->size(); ++i) {
      SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of((*list)[i], fmt::format("aggs[{}]", i)));
      SLUICE_TRY(const std::optional<std::string> column, in.optional_string("col"));
      SLUICE_TRY(const std::string fn, in.required_string("fn"));
      SLUICE_TRY(out.emplace_back(), aggregate_of(column.value_or(""), fn));
    }
    return out;
  }
  const json::Object* map = value.if_object();
  if (map == nullptr)
    return invalid_input("aggs: expected a list or an object").with_code("invalid_aggregate");
  if (map->size() > kNamesMax) return too_many("aggregates", kNamesMax);
  for (const json::Member& member : *map) {
    const json::Array one{member.value};
    const json::Array* fns = member.value.if_array() != nullptr ? member.value.if_array() : &one;
    for (const json::Value& fn : *fns) {
      if (fn.if_string() == nullptr) {
        return invalid_input(fmt::format("aggs.{}: expected a function's name", excerpt(member.key)))
            .with_code("invalid_aggregate");
      }
      SLUICE_TRY(out.emplace_back(), aggregate_of(member.key, *fn.if_string()));
    }
  }
  return out;
}

Result<std::vector<Order>> read_order(const json::Array& list) {
  std::vector<Order> out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const std::string* name = list[i].if_string()) {
      out.push_back({.column = *name});
      continue;
    }
    SLUICE_TRY(const json::ObjectReader in, json::ObjectReader::of(list[i], fmt::format("order_by[{}]", i)));
    SLUICE_TRY(std::string column, in.required_string("col"));
    SLUICE_TRY(const std::optional<bool> descending, in.optional_bool("desc"));
    out.push_back({.column = std::move(column), .descending = descending.value_or(false)});
  }
  return out;
}

Result<std::vector<std::string>> read_names(const json::ObjectReader& in, std::string_view key) {
  SLUICE_TRY(std::vector<std::string> names, in.optional_strings(key));
  if (names.size() > kNamesMax) return too_many(key, kNamesMax);
  return names;
}

Status read_deduplication(const json::ObjectReader& in, QueryArguments& query_arguments) {
  const json::Value* value = in.find("deduplicate");
  if (value == nullptr) return {};
  if (const bool* flag = value->if_bool()) {
    query_arguments.deduplicate = *flag;
    return {};
  }
  query_arguments.deduplicate = true;
  SLUICE_TRY(query_arguments.deduplicate_by, read_names(in, "deduplicate"));
  return {};
}

Status read_counts(const json::ObjectReader& in, QueryArguments& query_arguments) {
  SLUICE_TRY(const std::optional<std::int64_t> limit, in.optional_int("limit"));
  SLUICE_TRY(const std::optional<std::int64_t> offset, in.optional_int("offset"));
  if (limit.value_or(0) < 0 || offset.value_or(0) < 0) {
    return invalid_input("limit and offset cannot be negative").with_code("invalid_limit");
  }
  if (limit) query_arguments.limit = static_cast<std::uint64_t>(*limit);
  query_arguments.offset = static_cast<std::uint64_t>(offset.value_or(0));
  return {};
}

}  // namespace

Result<QueryArguments> read_query_arguments(const json::Object& arguments) {
  const json::ObjectReader in(arguments, "");
  QueryArguments query_arguments;
  SLUICE_TRY(query_arguments.columns, read_names(in, "columns"));
  SLUICE_TRY(query_arguments.group_by, read_names(in, "group_by"));
  SLUICE_TRY(const json::Array* filters, in.optional_array("filters"));
  if (filters != nullptr) {
    if (filters->size() > kFiltersMax) return too_many("filters", kFiltersMax);
    for (std::size_t i = 0; i < filters->size(); ++i) {
      SLUICE_TRY(query_arguments.filters.emplace_back(), read_filter((*filters)[i], i));
    }
  }
  if (const json::Value* aggs = in.find("aggs"); aggs != nullptr && !aggs->is_null()) {
    SLUICE_TRY(query_arguments.aggregates, read_aggregates(*aggs));
  }
  query_arguments.grouped = !query_arguments.group_by.empty() || !query_arguments.aggregates.empty();
  SLUICE_TRY(const std::optional<bool> distinct, in.optional_bool("distinct"));
  query_arguments.distinct = distinct.value_or(false);
  SLUICE_CHECK(read_deduplication(in, query_arguments));
  SLUICE_TRY(const std::optional<std::string> nulls, in.optional_string("null_policy"));
  query_arguments.drop_nulls = nulls == "drop";
  SLUICE_TRY(const json::Array* order, in.optional_array("order_by"));
  if (order != nullptr) {
    if (order->size() > kNamesMax) return too_many("order_by", kNamesMax);
    SLUICE_TRY(query_arguments.order_by, read_order(*order));
  }
  SLUICE_CHECK(read_counts(in, query_arguments));
  return query_arguments;
}

}  // namespace sluice::query
