#include "sql_set_operation.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

#include "plan_node.h"
#include "sql_aggregate.h"
#include "sql_member.h"
#include "sql_modifiers.h"
#include "sql_plan.h"

namespace sluice::expression {

namespace {

using plan::NodePtr;
using plan::SetKind;

std::optional<SetKind> set_kind(std::string_view type) {
  if (type == "UNION") return SetKind::kUnion;
  if (type == "EXCEPT") return SetKind::kExcept;
  if (type == "INTERSECT") return SetKind::kIntersect;
  return std::nullopt;
}

// A side in brackets may have its own order and limit.
bool is_whole_side(const json::Value& side) {
  const json::Array& modifiers = member_items(side, "modifiers");
  return std::all_of(modifiers.begin(), modifiers.end(),
                     [](const json::Value& one) { return member_text(one, "type") == "DISTINCT_MODIFIER"; });
}

// The output that a term of ORDER BY means: by its position or by its name.
std::optional<std::size_t> ordered_output(const json::Value& expression, const Columns& outputs) {
  if (const std::optional<std::uint64_t> position = whole_number(&expression)) {
    if (*position < 1 || *position > outputs.size()) return std::nullopt;
    return static_cast<std::size_t>(*position - 1);
  }
  const json::Array& parts = member_items(expression, "column_names");
  if (!is_column_reference(expression) || parts.size() != 1 || !parts.front().is_string())
    return std::nullopt;
  const auto found = std::find_if(outputs.begin(), outputs.end(), [&](const engine::Field& output) {
    return equal_ignoring_case(output.name, *parts.front().if_string());
  });
  if (found == outputs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - outputs.begin());
}

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree, which its reader bounds.
NodePtr bind_set_operation(SqlNode& node, const SqlFacts& facts, const Columns& outputs) {
  const std::optional<SetKind> kind = set_kind(node.text("setop_type"));
  const json::Value* with = node.value("cte_map");
  const std::optional<SqlModifiers> modifiers = read_modifiers(node);
  if (!kind || !modifiers || modifiers->is_distinct) return nullptr;
  if (with != nullptr && !member_items(*with, "map").empty()) return nullptr;
  const bool is_all = node.flag("setop_all");
  NodePtr sides[2];
  for (const std::size_t i : {0U, 1U}) {
    const json::Value* side = node.value(i == 0 ? "left" : "right");
    if (side == nullptr || !is_whole_side(*side)) return nullptr;
    sides[i] = bind_query(*side, facts, outputs);
    if (!sides[i]) return nullptr;
  }
  if (!node.finish().ok()) return nullptr;
  std::vector<plan::SortKey> order;
  for (const SqlOrderTerm& term : modifiers->order) {
    const std::optional<std::size_t> output = ordered_output(*term.expression, outputs);
    if (!output) return nullptr;
    order.push_back({.column = *output, .descending = term.descending});
  }
  NodePtr rows = node_or_null(plan::set_operation(*kind, is_all, std::move(sides[0]), std::move(sides[1])));
  if (rows) rows = node_or_null(plan::sort(std::move(rows), std::move(order), false));
  return rows ? plan::limit(std::move(rows), modifiers->limit, modifiers->offset) : nullptr;
}

}  // namespace sluice::expression
