#include "sql_from_clause.h"

#include <algorithm>

#include "sluice/base/text.h"

namespace sluice::expression {

namespace {

AppliedConditions above_outer_join(AppliedConditions conditions) {
  for (AppliedCondition& one : conditions) one.is_above_outer_join = true;
  return conditions;
}

// The conditions and that of a join.
AppliedConditions with(AppliedConditions conditions, const json::Value& join) {
  const json::Value* on = join.find("condition");
  if (on != nullptr && on->is_object()) conditions.push_back({.condition = on});
  if (!member_items(join, "using_columns").empty()) conditions.push_back({.using_of = &join});
  return conditions;
}

struct Sides {
  AppliedConditions left;
  AppliedConditions right;
};

// A row of one side that can satisfy no condition of ON has no partner. It is still part of the answer if
// the join keeps that side's rows, or (ANTI) keeps those without a partner. Without it, a row of the other
// side may get NULL in place of its columns.
Sides restricted_sides(const json::Value& join, const AppliedConditions& above) {
  const std::string_view type = member_text(join, "join_type");
  if (member_text(join, "ref_type") == "ASOF") {
    // Which row is the nearest depends on the other rows of the right side.
    if (type == "INNER" || type == "LEFT") return {.left = above, .right = {}};
    return {};
  }
  if (type == "INNER") return {.left = with(above, join), .right = with(above, join)};
  if (type == "LEFT") return {.left = above, .right = with(above_outer_join(above), join)};
  if (type == "RIGHT") return {.left = with(above_outer_join(above), join), .right = above};
  if (type == "FULL") return {.left = above_outer_join(above), .right = above_outer_join(above)};
  // Conditions above cannot name the right side of these.
  if (type == "SEMI") return {.left = with(above, join), .right = with({}, join)};
  if (type == "ANTI") return {.left = above, .right = with({}, join)};
  return {};
}

void restrict(const json::Value& table, const AppliedConditions& conditions, FromClause& out) {
  const std::string_view type = member_text(table, "type");
  if (type == "BASE_TABLE") {
    out.tables.push_back({.node = &table, .conditions = conditions});
    return;
  }
  const json::Value* left = table.find("left");
  const json::Value* right = table.find("right");
  if (type != "JOIN" || left == nullptr || right == nullptr) return;
  const Sides sides = restricted_sides(table, conditions);
  restrict(*left, sides.left, out);
  restrict(*right, sides.right, out);
}

void survey(const json::Value& table, FromClause& out) {
  if (member_text(table, "type") != "JOIN") {
    out.names.push_back(visible_name(table));
    return;
  }
  for (const json::Value& column : member_items(table, "using_columns")) {
    if (column.is_string()) out.merged.insert(to_lower_ascii(*column.if_string()));
  }
  out.has_natural = out.has_natural || member_text(table, "ref_type") == "NATURAL";
  const std::string_view type = member_text(table, "join_type");
  out.keeps_first = out.keeps_first && type != "RIGHT" && type != "FULL";
  for (const std::string_view side : {"left", "right"}) {
    if (const json::Value* one = table.find(side)) survey(*one, out);
  }
}

FromClause clause_of(const json::Value& select, const json::Value& from) {
  FromClause out{.select = &select};
  survey(from, out);
  for (const json::Value* at = &from; at != nullptr; at = at->find("left")) out.first = at;
  AppliedConditions conditions;
  const json::Value* where = select.find("where_clause");
  if (where != nullptr && where->is_object()) conditions.push_back({.condition = where});
  restrict(from, conditions, out);
  return out;
}

void collect_from_clauses(const json::Value& value, std::vector<FromClause>& out) {
  if (const json::Array* list = value.if_array()) {
    for (const json::Value& item : *list) collect_from_clauses(item, out);
    return;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return;
  const json::Value* from = object->find("from_table");
  if (member_text(value, "type") == "SELECT_NODE" && from != nullptr && from->is_object())
    out.push_back(clause_of(value, *from));
  for (const json::Member& member : *object) collect_from_clauses(member.value, out);
}

}  // namespace

bool FromClause::has_own_name(const json::Value& table) const {
  return std::count(names.begin(), names.end(), visible_name(table)) == 1;
}

std::string visible_name(const json::Value& table) {
  const std::string_view alias = member_text(table, "alias");
  return to_lower_ascii(alias.empty() ? member_text(table, "table_name") : alias);
}

std::vector<FromClause> from_clauses(const json::Value& tree) {
  std::vector<FromClause> out;
  collect_from_clauses(tree, out);
  return out;
}

}  // namespace sluice::expression
