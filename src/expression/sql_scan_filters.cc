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

namespace sluice::expression {

namespace {

using Kind = ScanCondition::Kind;
using Conditions = std::vector<const json::Value*>;

std::string_view text_of(const json::Value& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value != nullptr && value->is_string() ? std::string_view(*value->if_string()) : std::string_view();
}

const json::Array& items_of(const json::Value& node, std::string_view key) {
  static const json::Array kNone;
  const json::Value* value = node.find(key);
  return value != nullptr && value->is_array() ? *value->if_array() : kNone;
}

ScanCondition negation(ScanCondition operand) {
  ScanCondition out{.kind = Kind::kNot, .column = {}, .constants = {}, .operands = {}};
  out.operands.push_back(std::move(operand));
  return out;
}

ScanCondition joined(Kind kind, std::vector<ScanCondition> operands) {
  return {.kind = kind, .column = {}, .constants = {}, .operands = std::move(operands)};
}

ScanCondition comparison(Kind kind, std::string column, ScanValue constant) {
  return {.kind = kind, .column = std::move(column), .constants = {std::move(constant)}, .operands = {}};
}

ScanCondition null_test(std::string column) {
  return {.kind = Kind::kIsNull, .column = std::move(column), .constants = {}, .operands = {}};
}

// IS NOT DISTINCT FROM is never NULL.
ScanCondition same_value(const std::string& column, const ScanValue& constant) {
  if (std::holds_alternative<std::monostate>(constant)) return null_test(column);
  return joined(Kind::kAnd, {negation(null_test(column)), comparison(Kind::kEqual, column, constant)});
}

// `constant < column` is `column > constant`.
Kind mirrored(Kind kind) {
  switch (kind) {
    case Kind::kLess:
      return Kind::kGreater;
    case Kind::kLessOrEqual:
      return Kind::kGreaterOrEqual;
    case Kind::kGreater:
      return Kind::kLess;
    case Kind::kGreaterOrEqual:
      return Kind::kLessOrEqual;
    default:
      return kind;
  }
}

std::optional<Kind> order_of(std::string_view type) {
  if (type == "COMPARE_LESSTHAN") return Kind::kLess;
  if (type == "COMPARE_LESSTHANOREQUALTO") return Kind::kLessOrEqual;
  if (type == "COMPARE_GREATERTHAN") return Kind::kGreater;
  if (type == "COMPARE_GREATERTHANOREQUALTO") return Kind::kGreaterOrEqual;
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
    const std::string_view node_class = text_of(node, "class");
    const std::string_view type = text_of(node, "type");
    if (node_class == "CONJUNCTION") return conjunction(node, type);
    if (node_class == "COMPARISON") return compare(node, type);
    if (node_class == "BETWEEN") return between(node);
    if (node_class == "OPERATOR") return operation(node, type);
    return {};
  }

 private:
  ScanCondition conjunction(const json::Value& node, std::string_view type) const {
    std::vector<ScanCondition> operands;
    for (const json::Value& child : items_of(node, "children")) operands.push_back(read(child));
    if (operands.empty() || (type != "CONJUNCTION_AND" && type != "CONJUNCTION_OR")) return {};
    return joined(type == "CONJUNCTION_AND" ? Kind::kAnd : Kind::kOr, std::move(operands));
  }

  ScanCondition compare(const json::Value& node, std::string_view type) const {
    const json::Value* left = node.find("left");
    const json::Value* right = node.find("right");
    if (left == nullptr || right == nullptr) return {};
    const bool is_mirrored = !column_of(*left);
    const std::optional<std::string> column = column_of(is_mirrored ? *right : *left);
    const std::optional<ScanValue> constant = scan_constant(is_mirrored ? *left : *right);
    if (!column || !constant) return {};
    if (type == "COMPARE_EQUAL") return comparison(Kind::kEqual, *column, *constant);
    if (type == "COMPARE_NOTEQUAL") return negation(comparison(Kind::kEqual, *column, *constant));
    if (type == "COMPARE_NOT_DISTINCT_FROM") return same_value(*column, *constant);
    if (type == "COMPARE_DISTINCT_FROM") return negation(same_value(*column, *constant));
    const std::optional<Kind> order = order_of(type);
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
    return joined(Kind::kAnd, {comparison(Kind::kGreaterOrEqual, *column, std::move(bounds[0])),
                               comparison(Kind::kLessOrEqual, *column, std::move(bounds[1]))});
  }

  ScanCondition operation(const json::Value& node, std::string_view type) const {
    const json::Array& children = items_of(node, "children");
    if (children.empty()) return {};
    if (type == "OPERATOR_NOT") return negation(read(children.front()));
    const std::optional<std::string> column = column_of(children.front());
    if (!column) return {};
    if (type == "OPERATOR_IS_NULL") return null_test(*column);
    if (type == "OPERATOR_IS_NOT_NULL") return negation(null_test(*column));
    if (type != "COMPARE_IN" && type != "COMPARE_NOT_IN") return {};
    ScanCondition out{.kind = Kind::kIn, .column = *column, .constants = {}, .operands = {}};
    for (std::size_t i = 1; i < children.size(); ++i) {
      std::optional<ScanValue> constant = scan_constant(children[i]);
      if (!constant) return {};
      out.constants.push_back(*std::move(constant));
    }
    if (!unify_decimals(out.constants)) return {};
    return type == "COMPARE_IN" ? out : negation(std::move(out));
  }

  std::optional<std::string> column_of(const json::Value& node) const {
    if (text_of(node, "class") != "COLUMN_REF") return std::nullopt;
    const json::Array& parts = items_of(node, "column_names");
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

// A condition on the way from where it is applied down to the tables that it restricts.
struct AppliedCondition {
  const json::Value* condition = nullptr;
  bool is_above_outer_join = false;
};

using AppliedConditions = std::vector<AppliedCondition>;

AppliedConditions above_outer_join(AppliedConditions conditions) {
  for (AppliedCondition& one : conditions) one.is_above_outer_join = true;
  return conditions;
}

AppliedConditions with(AppliedConditions conditions, const json::Value* more) {
  if (more != nullptr && more->is_object()) conditions.push_back({.condition = more});
  return conditions;
}

std::string visible_name(const json::Value& table) {
  const std::string_view alias = text_of(table, "alias");
  return to_lower_ascii(alias.empty() ? text_of(table, "table_name") : alias);
}

// The FROM clause of one SELECT.
class FromClause {
 public:
  FromClause(const json::Value& from, SqlScanFilters& out) : out_(out) {
    survey(from);
    for (const json::Value* at = &from; at != nullptr; at = at->find("left")) first_ = at;
  }

  void restrict(const json::Value& table, const AppliedConditions& conditions) {
    const std::string_view type = text_of(table, "type");
    if (type == "BASE_TABLE") return add(table, conditions);
    if (type != "JOIN") return;
    const json::Value* left = table.find("left");
    const json::Value* right = table.find("right");
    if (left == nullptr || right == nullptr) return;
    const Sides sides = restricted_sides(table, conditions);
    restrict(*left, sides.left);
    restrict(*right, sides.right);
  }

 private:
  struct Sides {
    AppliedConditions left;
    AppliedConditions right;
  };

  // A row of one side that can satisfy no condition of ON has no partner. It is still part of the answer if
  // the join keeps that side's rows, or (ANTI) keeps those without a partner. Without it, a row of the other
  // side may get NULL in place of its columns.
  static Sides restricted_sides(const json::Value& join, const AppliedConditions& above) {
    const std::string_view type = text_of(join, "join_type");
    const json::Value* on = join.find("condition");
    if (text_of(join, "ref_type") == "ASOF") {
      // Which row is the nearest depends on the other rows of the right side.
      if (type == "INNER" || type == "LEFT") return {.left = above, .right = {}};
      return {};
    }
    if (type == "INNER") return {.left = with(above, on), .right = with(above, on)};
    if (type == "LEFT") return {.left = above, .right = with(above_outer_join(above), on)};
    if (type == "RIGHT") return {.left = with(above_outer_join(above), on), .right = above};
    if (type == "FULL") return {.left = above_outer_join(above), .right = above_outer_join(above)};
    // Conditions above cannot name the right side of these.
    if (type == "SEMI") return {.left = with(above, on), .right = with({}, on)};
    if (type == "ANTI") return {.left = above, .right = with({}, on)};
    return {};
  }

  void survey(const json::Value& table) {
    if (text_of(table, "type") != "JOIN") {
      names_.push_back(visible_name(table));
      return;
    }
    for (const json::Value& column : items_of(table, "using_columns")) {
      if (column.is_string()) merged_.insert(to_lower_ascii(*column.if_string()));
    }
    has_natural_ = has_natural_ || text_of(table, "ref_type") == "NATURAL";
    const std::string_view type = text_of(table, "join_type");
    keeps_first_ = keeps_first_ && type != "RIGHT" && type != "FULL";
    for (const std::string_view side : {"left", "right"}) {
      if (const json::Value* one = table.find(side)) survey(*one);
    }
  }

  void add(const json::Value& table, const AppliedConditions& conditions) {
    if (!items_of(table, "column_name_alias").empty()) return;  // Its columns have other names.
    TableNames names;
    const std::string visible = visible_name(table);
    if (std::count(names_.begin(), names_.end(), visible) == 1) names.visible = visible;
    // A merged column is that of the first table that has it, unless a join gives NULL in its place.
    if (&table != first_ || !keeps_first_) {
      names.merged = merged_;
      names.merges_all = has_natural_;
    }
    const ConditionReader reader(names);
    ScanFilters& filters = out_[table.if_object()];
    for (const AppliedCondition& one : conditions) {
      filters.push_back(
          {.condition = reader.read(*one.condition), .is_above_outer_join = one.is_above_outer_join});
    }
  }

  SqlScanFilters& out_;
  std::vector<std::string> names_;  // Of all tables and subqueries in the clause.
  std::set<std::string> merged_;
  bool has_natural_ = false;
  bool keeps_first_ = true;
  const json::Value* first_ = nullptr;
};

// Every SELECT is looked at by itself: in subqueries, WITH tables and both sides of set operations.
void walk(const json::Value& value, SqlScanFilters& out) {
  if (const json::Array* list = value.if_array()) {
    for (const json::Value& item : *list) walk(item, out);
    return;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return;
  const json::Value* from = object->find("from_table");
  if (text_of(value, "type") == "SELECT_NODE" && from != nullptr && from->is_object())
    FromClause(*from, out).restrict(*from, with({}, object->find("where_clause")));
  for (const json::Member& member : *object) walk(member.value, out);
}

}  // namespace

SqlScanFilters scan_filters(const json::Value& tree) {
  SqlScanFilters out;
  walk(tree, out);
  return out;
}

}  // namespace sluice::expression
