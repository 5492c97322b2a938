#include "sql_modifiers.h"

#include <string_view>

#include "sql_aggregate.h"

namespace sluice::expression {

namespace {

bool read_order(const json::Array& orders, SqlModifiers& out) {
  for (const json::Value& value : orders) {
    Result<SqlNode> order = SqlNode::of(&value);
    if (!order.ok()) return false;
    const std::string_view direction = order->text("type");
    const std::string_view nulls = order->text("null_order");
    const bool is_known =
        direction == "ORDER_DEFAULT" || direction == "ASCENDING" || direction == "DESCENDING";
    // Nulls come last by default, whatever the direction.
    if (!is_known || (nulls != "ORDER_DEFAULT" && nulls != "NULLS LAST")) return false;
    out.order.push_back({.expression = order->value("expression"), .descending = direction == "DESCENDING"});
    if (out.order.back().expression == nullptr) return false;
  }
  return true;
}

bool read_limit(SqlNode& modifier, SqlModifiers& out) {
  const json::Value* limit = modifier.value("limit");
  const json::Value* offset = modifier.value("offset");
  out.limit = whole_number(limit);
  out.offset = whole_number(offset).value_or(0);
  return (limit == nullptr || out.limit) && (offset == nullptr || whole_number(offset));
}

}  // namespace

std::optional<SqlModifiers> read_modifiers(SqlNode& select) {
  SqlModifiers out;
  int last = 0;
  for (const json::Value& value : select.items("modifiers")) {
    Result<SqlNode> modifier = SqlNode::of(&value);
    if (!modifier.ok()) return std::nullopt;
    const std::string_view type = modifier->text("type");
    const int rank = type == "DISTINCT_MODIFIER" ? 1 : type == "ORDER_MODIFIER" ? 2 : 3;
    if (rank <= last) return std::nullopt;
    last = rank;
    if (rank == 1) out.is_distinct = true;
    const bool is_read = rank == 1   ? modifier->items("distinct_on_targets").empty()
                         : rank == 2 ? read_order(modifier->items("orders"), out)
                                     : type == "LIMIT_MODIFIER" && read_limit(*modifier, out);
    if (!is_read) return std::nullopt;
  }
  return out;
}

}  // namespace sluice::expression
