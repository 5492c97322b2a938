#include "sql_aggregate.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sluice/base/text.h"

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

std::optional<AggregateCall> aggregate_of(const json::Value& value, const SqlColumns& names) {
  Result<SqlNode> node = SqlNode::of(&value);
  if (!node.ok() || node->text("class") != "FUNCTION") return std::nullopt;
  for (const std::string_view known : {"type", "alias"}) node->text(known);
  const std::string name = to_lower_ascii(node->text("function_name"));
  const json::Array& children = node->items("children");
  const bool is_distinct = node->flag("distinct");
  const json::Value* order = node->value("order_bys");
  const json::Value* orders = order == nullptr ? nullptr : order->find("orders");
  if (orders != nullptr && (!orders->is_array() || !orders->if_array()->empty())) return std::nullopt;
  // A filter or a schema is left over.
  if (!node->finish().ok()) return std::nullopt;
  if (name == "count_star" && children.empty() && !is_distinct) return AggregateCall{};
  if (children.size() != 1) return std::nullopt;
  if (name == "count" && !is_distinct && whole_number(&children.front())) return AggregateCall{};
  const std::optional<std::size_t> column = names.find(children.front());
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
