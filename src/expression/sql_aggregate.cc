#include "sql_aggregate.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sluice/base/text.h"

#include "sql_condition.h"
#include "sql_member.h"
#include "sql_node.h"

namespace sluice::expression {

namespace {

using engine::TypeId;
using plan::AggregateCall;
using plan::AggregateFunction;

struct AggregateName {
  std::string_view name;
  AggregateFunction function;
};
constexpr std::array kAggregateNames = {
    AggregateName{"count", AggregateFunction::kCount},
    AggregateName{"min", AggregateFunction::kMin},
    AggregateName{"max", AggregateFunction::kMax},
    AggregateName{"sum", AggregateFunction::kSum},
    AggregateName{"avg", AggregateFunction::kAvg},
    AggregateName{"median", AggregateFunction::kMedian},
    AggregateName{"bool_and", AggregateFunction::kBoolAnd},
    AggregateName{"bool_or", AggregateFunction::kBoolOr},
};

// The column as it is in the rows that a FILTER keeps, or true; null in the others.
std::optional<std::size_t> where(const json::Value& filter, std::optional<std::size_t> column,
                                 const SqlScalars& names) {
  std::optional<plan::Condition> condition = bind_condition(filter, names);
  return condition ? names.restricted(column, *std::move(condition)) : std::nullopt;
}

// count(*) FILTER (WHERE …)
std::optional<AggregateCall> count_of_rows(const json::Value& filter, const SqlScalars& names) {
  const std::optional<std::size_t> column = where(filter, std::nullopt, names);
  if (!column) return std::nullopt;
  return AggregateCall{.function = AggregateFunction::kCount, .column = *column, .name = {}};
}

// coalesce(sum(…), 0)
std::optional<AggregateCall> sum_or_zero(const json::Value& value, const SqlScalars& names) {
  if (!has_class(value, "OPERATOR") || member_text(value, "type") != "OPERATOR_COALESCE") return std::nullopt;
  const json::Array& children = member_items(value, "children");
  if (children.size() != 2 || whole_number(&children.back()).value_or(1) != 0) return std::nullopt;
  std::optional<AggregateCall> call = aggregate_of(children.front(), names);
  if (!call || call->function != AggregateFunction::kSum) return std::nullopt;
  call->function = AggregateFunction::kSumOrZero;
  return call;
}

}  // namespace

bool has_double_median(TypeId id) {
  switch (id) {
    case TypeId::kInt8:
    case TypeId::kInt16:
    case TypeId::kInt32:
    case TypeId::kUInt8:
    case TypeId::kUInt16:
    case TypeId::kUInt32:
    case TypeId::kDouble:
      return true;
    default:
      return false;
  }
}

std::optional<std::uint64_t> whole_number(const json::Value* expression) {
  if (expression == nullptr || !has_class(*expression, "CONSTANT")) return std::nullopt;
  const json::Value* held = expression->find("value");
  const json::Value* type = held == nullptr ? nullptr : held->find("type");
  const json::Value* id = type == nullptr ? nullptr : type->find("id");
  const json::Value* value = held == nullptr ? nullptr : held->find("value");
  const bool is_integer = id != nullptr && (json::equal(*id, "INTEGER") || json::equal(*id, "BIGINT"));
  if (!is_integer || value == nullptr || !value->is_number()) return std::nullopt;
  const std::optional<std::int64_t> number = value->if_number()->as_int64();
  return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

std::optional<AggregateCall> aggregate_of(const json::Value& value, const SqlScalars& names) {
  if (std::optional<AggregateCall> sum = sum_or_zero(value, names)) return sum;
  Result<SqlNode> node = SqlNode::of(&value);
  if (!node.ok() || node->text("class") != "FUNCTION") return std::nullopt;
  for (const std::string_view known : {"type", "alias"}) node->text(known);
  const std::string name = to_lower_ascii(node->text("function_name"));
  const json::Array& children = node->items("children");
  const bool is_distinct = node->flag("distinct");
  const json::Value* order = node->value("order_bys");
  const json::Value* orders = order == nullptr ? nullptr : order->find("orders");
  if (orders != nullptr && (!orders->is_array() || !orders->if_array()->empty())) return std::nullopt;
  const json::Value* filter = node->value("filter");
  if (!node->finish().ok()) return std::nullopt;  // A schema is left over.
  const auto rows = [&] { return filter == nullptr ? AggregateCall{} : count_of_rows(*filter, names); };
  if (name == "count_star" && children.empty() && !is_distinct) return rows();
  if (children.size() != 1) return std::nullopt;
  if (name == "count" && !is_distinct && whole_number(&children.front())) return rows();
  std::optional<std::size_t> column = names.find(children.front());
  if (column && filter != nullptr) column = where(*filter, column, names);
  const auto* const known = std::find_if(kAggregateNames.begin(), kAggregateNames.end(),
                                         [&](const AggregateName& one) { return one.name == name; });
  if (!column || known == kAggregateNames.end()) return std::nullopt;
  AggregateCall call{.function = known->function, .column = *column, .name = {}};
  if (is_distinct && call.function != AggregateFunction::kCount) return std::nullopt;
  if (is_distinct) call.function = AggregateFunction::kCountDistinct;
  const TypeId id = names.columns()[*column].type.id;
  if (call.function == AggregateFunction::kMedian && !has_double_median(id)) return std::nullopt;
  return call;
}

}  // namespace sluice::expression
