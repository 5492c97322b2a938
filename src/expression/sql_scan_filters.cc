#include "sql_scan_filters.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

#include "scan_constant.h"
#include "sql_from_clause.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

ScanCondition negation(ScanCondition operand) {
  ScanCondition out{.kind = ScanKind::kNot, .column = {}, .constants = {}, .operands = {}};
  out.operands.push_back(std::move(operand));
  return out;
}

ScanCondition joined(ScanKind kind, std::vector<ScanCondition> operands) {
  return {.kind = kind, .column = {}, .constants = {}, .operands = std::move(operands)};
}

ScanCondition comparison(ScanKind kind, std::string column, ScanValue constant) {
  return {.kind = kind, .column = std::move(column), .constants = {std::move(constant)}, .operands = {}};
}

ScanCondition null_test(std::string column) {
  return {.kind = ScanKind::kIsNull, .column = std::move(column), .constants = {}, .operands = {}};
}

// IS NOT DISTINCT FROM is never NULL.
ScanCondition same_value(const std::string& column, const ScanValue& constant) {
  if (std::holds_alternative<std::monostate>(constant)) return null_test(column);
  return joined(ScanKind::kAnd,
                {negation(null_test(column)), comparison(ScanKind::kEqual, column, constant)});
}

// `constant < column` is `column > constant`.
ScanKind mirrored(ScanKind kind) {
  switch (kind) {
    case ScanKind::kLess:
      return ScanKind::kGreater;
    case ScanKind::kLessOrEqual:
      return ScanKind::kGreaterOrEqual;
    case ScanKind::kGreater:
      return ScanKind::kLess;
    case ScanKind::kGreaterOrEqual:
      return ScanKind::kLessOrEqual;
    default:
      return kind;
  }
}

std::optional<ScanKind> order_of(std::string_view type) {
  if (type == "COMPARE_LESSTHAN") return ScanKind::kLess;
  if (type == "COMPARE_LESSTHANOREQUALTO") return ScanKind::kLessOrEqual;
  if (type == "COMPARE_GREATERTHAN") return ScanKind::kGreater;
  if (type == "COMPARE_GREATERTHANOREQUALTO") return ScanKind::kGreaterOrEqual;
  return std::nullopt;
}

// How one table is named where a condition stands.
struct TableNames {
  std::string visible;  // Its alias, else its name, in lower case. Empty: conditions cannot name it.
  // Columns that USING or NATURAL JOIN merge with those of other tables, unless this one is the first.
  std::set<std::string> merged;
  bool merges_all = false;
};

// Reads conditions as those of one table.
class ConditionReader {
 public:
  explicit ConditionReader(const TableNames& names) : names_(names) {}

  ScanCondition read(const json::Value& node) const {
    const std::string_view node_class = member_text(node, "class");
    const std::string_view type = member_text(node, "type");
    if (node_class == "CONJUNCTION") return conjunction(node, type);
    if (node_class == "COMPARISON") return compare(node, type);
    if (node_class == "BETWEEN") return between(node);
    if (node_class == "OPERATOR") return operation(node, type);
    return {};
  }

 private:
  ScanCondition conjunction(const json::Value& node, std::string_view type) const {
    std::vector<ScanCondition> operands;
    for (const json::Value& child : member_items(node, "children")) operands.push_back(read(child));
    if (operands.empty() || (type != "CONJUNCTION_AND" && type != "CONJUNCTION_OR")) return {};
    return joined(type == "CONJUNCTION_AND" ? ScanKind::kAnd : ScanKind::kOr, std::move(operands));
  }

  ScanCondition compare(const json::Value& node, std::string_view type) const {
    const json::Value* left = node.find("left");
    const json::Value* right = node.find("right");
    if (left == nullptr || right == nullptr) return {};
    const bool is_mirrored = !column_of(*left);
    const std::optional<std::string> column = column_of(is_mirrored ? *right : *left);
    const std::optional<ScanValue> constant = scan_constant(is_mirrored ? *left : *right);
    if (!column || !constant) return {};
    if (type == "COMPARE_EQUAL") return comparison(ScanKind::kEqual, *column, *constant);
    if (type == "COMPARE_NOTEQUAL") return negation(comparison(ScanKind::kEqual, *column, *constant));
    if (type == "COMPARE_NOT_DISTINCT_FROM") return same_value(*column, *constant);
    if (type == "COMPARE_DISTINCT_FROM") return negation(same_value(*column, *constant));
    const std::optional<ScanKind> order = order_of(type);
    if (!order) return {};
    return comparison(is_mirrored ? mirrored(*order) : *order, *column, *constant);
  }

  // The engine compares all three as values of one type.
  ScanCondition between(const json::Value& node) const {
    const json::Value* input = node.find("input");
    const json::Value* lower = node.find("lower");
    const json::Value* upper = node.find("upper");
    if (input == nullptr || lower == nullptr || upper == nullptr) return {};
    const std::optional<std::string> column = column_of(*input);
    const std::optional<ScanValue> from = scan_constant(*lower);
    const std::optional<ScanValue> to = scan_constant(*upper);
    if (!column || !from || !to) return {};
    std::vector<ScanValue> bounds{*from, *to};
    if (!unify_decimals(bounds) || bounds[0].index() != bounds[1].index()) return {};
    return joined(ScanKind::kAnd, {comparison(ScanKind::kGreaterOrEqual, *column, std::move(bounds[0])),
                                   comparison(ScanKind::kLessOrEqual, *column, std::move(bounds[1]))});
  }

  ScanCondition operation(const json::Value& node, std::string_view type) const {
    const json::Array& children = member_items(node, "children");
    if (children.empty()) return {};
    if (type == "OPERATOR_NOT") return negation(read(children.front()));
    const std::optional<std::string> column = column_of(children.front());
    if (!column) return {};
    if (type == "OPERATOR_IS_NULL") return null_test(*column);
    if (type == "OPERATOR_IS_NOT_NULL") return negation(null_test(*column));
    if (type != "COMPARE_IN" && type != "COMPARE_NOT_IN") return {};
    ScanCondition out{.kind = ScanKind::kIn, .column = *column, .constants = {}, .operands = {}};
    for (std::size_t i = 1; i < children.size(); ++i) {
      std::optional<ScanValue> constant = scan_constant(children[i]);
      if (!constant) return {};
      out.constants.push_back(*std::move(constant));
    }
    if (!unify_decimals(out.constants)) return {};
    return type == "COMPARE_IN" ? out : negation(std::move(out));
  }

  std::optional<std::string> column_of(const json::Value& node) const {
    if (member_text(node, "class") != "COLUMN_REF") return std::nullopt;
    const json::Array& parts = member_items(node, "column_names");
    if (parts.empty() || parts.size() > 2) return std::nullopt;
    const std::string* last = parts.back().if_string();
    const std::string* first = parts.front().if_string();
    if (first == nullptr || last == nullptr) return std::nullopt;
    std::string name = to_lower_ascii(*last);
    if (parts.size() == 2 && to_lower_ascii(*first) != names_.visible) return std::nullopt;
    if (parts.size() == 1 && (names_.merges_all || names_.merged.contains(name))) return std::nullopt;
    return name;
  }

  const TableNames& names_;
};

// What a condition applied to a table can call it.
TableNames names_in(const FromClause& from, const json::Value& table) {
  TableNames names;
  if (from.has_own_name(table)) names.visible = visible_name(table);
  // A merged column is that of the first table that has it, unless a join gives NULL in its place.
  if (&table != from.first || !from.keeps_first) {
    names.merged = from.merged;
    names.merges_all = from.has_natural;
  }
  return names;
}

}  // namespace

SqlScanFilters scan_filters(const json::Value& tree) {
  SqlScanFilters out;
  for (const FromClause& from : from_clauses(tree)) {
    for (const FromTable& table : from.tables) {
      if (table.has_renamed_columns()) continue;
      const TableNames names = names_in(from, *table.node);
      const ConditionReader reader(names);
      ScanFilters& filters = out[table.node->if_object()];
      for (const AppliedCondition& one : table.conditions) {
        if (one.condition == nullptr) continue;
        filters.push_back(
            {.condition = reader.read(*one.condition), .is_above_outer_join = one.is_above_outer_join});
      }
    }
  }
  return out;
}

}  // namespace sluice::expression
