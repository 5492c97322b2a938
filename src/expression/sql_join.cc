#include "sql_join.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"

#include "sql_member.h"

namespace sluice::expression {

namespace {

void split(const json::Value* condition, std::vector<const json::Value*>& out) {
  if (condition == nullptr || !condition->is_object()) return;
  if (member_text(*condition, "type") != "CONJUNCTION_AND") {
    out.push_back(condition);
    return;
  }
  for (const json::Value& part : member_items(*condition, "children")) split(&part, out);
}

json::Value column_reference(const std::string& table, const std::string& column) {
  return json::Object{{"class", "COLUMN_REF"},
                      {"type", "COLUMN_REF"},
                      {"alias", ""},
                      {"column_names", json::Array{table, column}}};
}

bool is_join(const json::Value& reference) { return member_text(reference, "type") == "JOIN"; }

}  // namespace

std::optional<JoinTree> JoinTree::read(const json::Value& from, const json::Value* where,
                                       const ColumnsByTable& tables, const WithTables& with) {
  JoinTree out;
  if (!is_join(from) || !out.flatten(from, tables, with)) return std::nullopt;
  split(where, out.conditions_);
  out.promote();
  for (const json::Value* condition : out.conditions_) out.place(*condition);
  for (std::size_t i = 0; i < out.joined_.size(); ++i) {
    for (const json::Value* condition : out.joined_[i].on) out.place_left(*condition, i);
  }
  out.grow();
  return out;
}

bool JoinTree::flatten(const json::Value& reference, const ColumnsByTable& tables, const WithTables& with) {
  if (is_join(reference)) return flatten_join(reference, tables, with);
  joined_.emplace_back();
  return scope_.add(joined_table(reference, tables, with));
}

bool JoinTree::flatten_join(const json::Value& join, const ColumnsByTable& tables, const WithTables& with) {
  const std::string_view kind = member_text(join, "ref_type");
  const std::string_view type = member_text(join, "join_type");
  const json::Value* first = member_object(join, "left");
  const json::Value* second = member_object(join, "right");
  if (first == nullptr || second == nullptr) return false;
  if (kind != "REGULAR" && kind != "CROSS" && kind != "NATURAL") return false;
  if (type != "INNER" && type != "LEFT" && type != "RIGHT") return false;
  if (type == "RIGHT") std::swap(first, second);  // The side whose rows all stay comes first.
  const std::size_t begin = joined_.size();
  if (!flatten(*first, tables, with)) return false;
  const std::size_t right = joined_.size();
  if (!flatten(*second, tables, with)) return false;
  Conditions conditions;
  split(join.find("condition"), conditions);
  if (!merge_columns(join, begin, right, conditions)) return false;
  if (type == "INNER") {
    conditions_.insert(conditions_.end(), conditions.begin(), conditions.end());
    return true;
  }
  if (is_join(*second)) return false;
  joined_[right].keeps_unmatched = true;
  joined_[right].on = std::move(conditions);
  return true;
}

// The columns that the tables from `left` to `right` share with those from `right` on. A name that is not
// sure to be theirs is empty.
std::vector<std::string> JoinTree::merged_names(const json::Value& join, std::size_t left,
                                                std::size_t right) const {
  std::vector<std::string> out;
  for (const json::Value& name : member_items(join, "using_columns"))
    out.push_back(name.is_string() ? to_lower_ascii(*name.if_string()) : std::string());
  if (member_text(join, "ref_type") != "NATURAL") return out;
  for (std::size_t i = left; i < joined_.size(); ++i) {
    if (!scope_.tables()[i].columns) return {""};
  }
  std::set<std::string> shared;
  for (std::size_t i = left; i < right; ++i) {
    for (const std::string& name : *scope_.tables()[i].columns) {
      if (scope_.find_column(name, right, joined_.size())) shared.insert(name);
    }
  }
  out.insert(out.end(), shared.begin(), shared.end());
  return out;
}

bool JoinTree::merge_columns(const json::Value& join, std::size_t left, std::size_t right, Conditions& out) {
  for (const std::string& name : merged_names(join, left, right)) {
    const auto owner = [&](std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
      if (end - begin == 1) return begin;
      return scope_.find_column(name, begin, end);
    };
    const std::optional<std::size_t> first = owner(left, right);
    const std::optional<std::size_t> second = owner(right, joined_.size());
    if (name.empty() || !first || !second) return false;
    const std::vector<JoinedTable>& tables = scope_.tables();
    if (tables[*first].visible.empty() || tables[*second].visible.empty()) return false;
    out.push_back(equality_of(*first, *second, name));
    scope_.merge(name);
  }
  return true;
}

const json::Value* JoinTree::equality_of(std::size_t left, std::size_t right, const std::string& column) {
  const std::vector<JoinedTable>& tables = scope_.tables();
  made_.emplace_back(json::Object{{"class", "COMPARISON"},
                                  {"type", "COMPARE_EQUAL"},
                                  {"alias", ""},
                                  {"left", column_reference(tables[left].visible, column)},
                                  {"right", column_reference(tables[right].visible, column)}});
  return &made_.back();
}

// A left join whose missing rows no condition above it lets through is an inner join.
void JoinTree::promote() {
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      if (!joined_[i].keeps_unmatched) continue;
      const bool rejects = std::any_of(conditions_.begin(), conditions_.end(),
                                       [&](const json::Value* one) { return rejects_nulls(*one, i); });
      if (!rejects) continue;
      joined_[i].keeps_unmatched = false;
      Conditions on = std::move(joined_[i].on);
      joined_[i].on.clear();
      conditions_.insert(conditions_.end(), on.begin(), on.end());
      has_changed = true;
    }
  }
}

bool JoinTree::is_column_of(const json::Value* value, std::size_t table) const {
  return value != nullptr && is_column_reference(*value) && scope_.owner_of(*value) == table;
}

// Whether a condition is certainly not true for a row in which all columns of the table are null.
bool JoinTree::rejects_nulls(const json::Value& condition, std::size_t table) const {
  const std::string_view type = member_text(condition, "type");
  const std::string_view node_class = member_text(condition, "class");
  if (node_class == "COMPARISON" && type != "COMPARE_DISTINCT_FROM" && type != "COMPARE_NOT_DISTINCT_FROM")
    return is_column_of(condition.find("left"), table) || is_column_of(condition.find("right"), table);
  if (node_class == "BETWEEN") return is_column_of(condition.find("input"), table);
  const json::Array& children = member_items(condition, "children");
  if (node_class == "OPERATOR" && (type == "OPERATOR_IS_NOT_NULL" || type == "COMPARE_IN"))
    return !children.empty() && is_column_of(&children.front(), table);
  return false;
}

// `left = right` where each side reads one table, and not the same.
std::optional<JoinTree::Equality> JoinTree::equality(const json::Value& condition) const {
  const std::string_view type = member_text(condition, "type");
  if (member_text(condition, "class") != "COMPARISON") return std::nullopt;
  if (type != "COMPARE_EQUAL" && type != "COMPARE_NOT_DISTINCT_FROM") return std::nullopt;
  const json::Value* left = member_object(condition, "left");
  const json::Value* right = member_object(condition, "right");
  if (left == nullptr || right == nullptr) return std::nullopt;
  const auto of_left = scope_.tables_of(*left);
  const auto of_right = scope_.tables_of(*right);
  if (!of_left || !of_right || of_left->size() != 1 || of_right->size() != 1) return std::nullopt;
  if (*of_left == *of_right) return std::nullopt;
  return Equality{.left = *of_left->begin(),
                  .right = *of_right->begin(),
                  .left_value = left,
                  .right_value = right,
                  .is_null_safe = type == "COMPARE_NOT_DISTINCT_FROM"};
}

// A condition of WHERE or of an inner join. What is left out leaves rows in.
void JoinTree::place(const json::Value& condition) {
  const auto tables = scope_.tables_of(condition);
  if (tables && tables->size() <= 1) {
    const std::size_t table = tables->empty() ? 0 : *tables->begin();
    if (!joined_[table].keeps_unmatched) {
      joined_[table].filters.push_back(&condition);
      return;
    }
  }
  const std::optional<Equality> found = equality(condition);
  if (found && !joined_[found->left].keeps_unmatched && !joined_[found->right].keeps_unmatched) {
    equalities_.push_back(*found);
    return;
  }
  is_exact_ = false;
}

// A condition of the left join of a table.
void JoinTree::place_left(const json::Value& condition, std::size_t table) {
  const auto tables = scope_.tables_of(condition);
  Joined& joined = joined_[table];
  if (tables && (tables->empty() || *tables == std::set<std::size_t>{table})) {
    joined.filters.push_back(&condition);
    return;
  }
  if (const std::optional<Equality> found = equality(condition)) {
    const bool is_left = found->left == table;
    const std::size_t other = is_left ? found->right : found->left;
    if ((is_left || found->right == table) && joined.parent.value_or(other) == other) {
      joined.parent = other;
      joined.keys.push_back({.parent = is_left ? found->right_value : found->left_value,
                             .own = is_left ? found->left_value : found->right_value,
                             .is_null_safe = found->is_null_safe});
      return;
    }
  }
  is_exact_ = false;
}

void JoinTree::attach(std::size_t table, std::size_t parent) {
  Node node{.table = table,
            .parent = *places_[parent],
            .keys = {},
            .filters = joined_[table].filters,
            .keeps_unmatched = false};
  for (Equality& one : equalities_) {
    const bool is_right = one.left == parent && one.right == table;
    if (one.is_used || (!is_right && !(one.right == parent && one.left == table))) continue;
    one.is_used = true;
    node.keys.push_back({.parent = is_right ? one.left_value : one.right_value,
                         .own = is_right ? one.right_value : one.left_value,
                         .is_null_safe = one.is_null_safe});
  }
  places_[table] = nodes_.size();
  nodes_.push_back(std::move(node));
}

// Breadth first from the first table along equalities. Tables that none leads to meet every row.
void JoinTree::grow() {
  places_.assign(joined_.size(), std::nullopt);
  places_[0] = 0;
  nodes_.push_back(
      {.table = 0, .parent = 0, .keys = {}, .filters = joined_[0].filters, .keeps_unmatched = false});
  std::size_t next = 0;
  while (true) {
    for (; next < nodes_.size(); ++next) {
      const std::size_t parent = nodes_[next].table;
      for (std::size_t i = 0; i < equalities_.size(); ++i) {
        const Equality& one = equalities_[i];
        if (one.left == parent && !places_[one.right]) attach(one.right, parent);
        if (one.right == parent && !places_[one.left]) attach(one.left, parent);
      }
    }
    const auto apart = std::find_if(joined_.begin(), joined_.end(), [&](const Joined& joined) {
      const auto table = static_cast<std::size_t>(&joined - joined_.data());
      return !places_[table] && !joined.keeps_unmatched;
    });
    if (apart == joined_.end()) break;
    attach(static_cast<std::size_t>(std::distance(joined_.begin(), apart)), 0);
  }
  // An equality that closes a circle takes no part in the count.
  is_exact_ = is_exact_ && std::all_of(equalities_.begin(), equalities_.end(),
                                       [](const Equality& one) { return one.is_used; });
  attach_left();
}

// The parent of a left join stands before it in FROM.
void JoinTree::attach_left() {
  for (std::size_t i = 0; i < joined_.size(); ++i) {
    Joined& joined = joined_[i];
    if (!joined.keeps_unmatched) continue;
    places_[i] = nodes_.size();
    nodes_.push_back({.table = i,
                      .parent = places_[joined.parent.value_or(0)].value_or(0),
                      .keys = std::move(joined.keys),
                      .filters = std::move(joined.filters),
                      .keeps_unmatched = true});
  }
}

}  // namespace sluice::expression
