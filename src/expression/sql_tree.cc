#include "sql_tree.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "kept_values.h"
#include "sql_bounds.h"
#include "sql_member.h"
#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

bool is_star(const json::Value* expression) {
  const json::Value* node_class = expression == nullptr ? nullptr : expression->find("class");
  return node_class != nullptr && node_class->is_string() && *node_class->if_string() == "STAR";
}

// The name by which a query around it can refer to an item of a SELECT, in lower case; "" if the engine makes
// it.
std::string output_name(const json::Value& item) {
  const json::Value* alias = item.find("alias");
  if (alias != nullptr && alias->is_string() && !alias->if_string()->empty())
    return to_lower_ascii(*alias->if_string());
  const json::Value* names = is_column_reference(item) ? item.find("column_names") : nullptr;
  if (names == nullptr || !names->is_array() || names->if_array()->empty()) return {};
  const std::string* last = names->if_array()->back().if_string();
  return last == nullptr ? std::string() : to_lower_ascii(*last);
}

}  // namespace

Result<SqlFacts> SqlTreeCheck::check(const json::Value& serialized) {
  SLUICE_TRY(SqlNode root, SqlNode::of(&serialized));
  if (root.flag("error")) {
    if (root.text("error_type") == "not implemented") return refused("a statement other than SELECT");
    refused_at_ = place_of_parser_error(serialized);
    return not_parsed(root.text("error_message"));
  }
  const json::Array& statements = root.items("statements");
  if (statements.size() != 1)
    return refused(statements.empty() ? "an empty statement" : "more than one statement");
  SLUICE_CHECK(root.finish());
  SqlFacts facts;
  SLUICE_TRY(SqlNode statement, SqlNode::of(&statements.front()));
  if (!statement.items("named_param_map").empty()) return refused("a placeholder; write the value itself");
  SLUICE_TRY(const Relation relation, query(statement.value("node"), nullptr, &facts));
  SLUICE_CHECK(statement.finish());
  const Cost& cost = relation.cost;
  if (cost.nodes > kSqlNodesMax) return too_large("with its aliases and WITH tables written out");
  if (cost.tables > kSqlTablesMax) return too_large("with more than 32 tables and subqueries");
  if (cost.grown.cells > kSqlGrownCellsMax || cost.grown.bytes > kSqlGrownBytesMax) {
    return too_large("for the text that it could make of each row by ||, concat and replace")
        .with_hint("Make less text of each row; to put lists together use list_concat(a, b).");
  }
  SLUICE_CHECK(check_kept_values(cost.kept_values));
  facts.kept_values = cost.kept_values;
  facts.tables = std::move(found_);
  facts.has_join = has_join_;
  // A median keeps every value it sees in memory that the engine does not count; a join can make any number.
  if (has_holistic_ && has_join_)
    return refused("median or quantile in a statement that joins or unnests")
        .with_hint("Use approx_quantile(column, 0.5).");
  return facts;
}

Result<SqlTreeCheck::Relation> SqlTreeCheck::query(const json::Value* value, const Scope* outer,
                                                   SqlFacts* facts) {
  SLUICE_TRY(SqlNode node, SqlNode::of(value));
  Scope scope{.outer = outer};
  const std::string_view type = node.text("type");
  SLUICE_TRY(const Cost with_cost, with(node, scope));
  if (facts != nullptr) facts->has_with = !scope.with.empty();
  Relation out;
  if (type == "SELECT_NODE") {
    SLUICE_TRY(out, select(node, scope, facts));
  } else if (type == "SET_OPERATION_NODE") {
    SLUICE_TRY(out, set_operation(node, scope));
  } else {
    if (type != "RECURSIVE_CTE_NODE") return refused(type);
    return unsupported_clause("WITH RECURSIVE",
                              "Join the table to itself once for each level, or use unnest(range(1, 10)).");
  }
  SLUICE_TRY(const Cost modifier_cost, modifiers(node, scope, facts));
  SLUICE_CHECK(check_copies(scope.repeats_rows, scope.used));
  out.cost += with_cost;
  out.cost += modifier_cost;
  SLUICE_CHECK(node.finish());
  return out;
}

Result<SqlTreeCheck::Relation> SqlTreeCheck::nested(const json::Value* statement, const Scope* outer) {
  SLUICE_TRY(SqlNode node, SqlNode::of(statement));
  if (!node.items("named_param_map").empty()) return refused("a placeholder; write the value itself");
  SLUICE_TRY(Relation out, query(node.value("node"), outer));
  SLUICE_CHECK(node.finish());
  return out;
}

Result<Cost> SqlTreeCheck::with(SqlNode& node, Scope& scope) {
  SLUICE_TRY(SqlNode cte_map, SqlNode::of(node.value("cte_map")));
  Cost cost;
  for (const json::Value& entry : cte_map.items("map")) {
    SLUICE_TRY(SqlNode pair, SqlNode::of(&entry));
    const std::string name = to_lower_ascii(pair.text("key"));
    SLUICE_TRY(SqlNode value, SqlNode::of(pair.value("value")));
    // A name that is no path can never be looked up as a file, wherever it is bound.
    if (name.empty() || name.find_first_of("./\\:*?[]'\"") != std::string::npos) {
      return refused("a WITH table named " + name);
    }
    if (name == "data" || name.starts_with(kTablePrefix))
      return refused("a WITH table named " + name + "; choose another name");
    SLUICE_CHECK(value.names("aliases"));
    const bool renames = !value.items("aliases").empty();
    value.text("materialized");
    // Only what stands before it is in scope: the engine would look a later name up elsewhere.
    SLUICE_TRY(Relation relation, nested(value.value("query"), &scope));
    if (renames) relation.shapes = {.named = {}, .others = relation.shapes.all()};
    SLUICE_CHECK(value.finish());
    SLUICE_CHECK(pair.finish());
    if (!scope.with.emplace(name, relation).second) return refused("two WITH tables named " + name);
    cost += relation.cost;  // Also where nothing refers to it.
  }
  SLUICE_CHECK(cte_map.finish());
  return cost;
}

Result<SqlTreeCheck::Relation> SqlTreeCheck::select(SqlNode& node, Scope& scope, SqlFacts* facts) {
  Relation out;
  out.cost.nodes = 1;
  if (node.value("sample") != nullptr) return no_sample();
  SLUICE_TRY(const Cost from, table(node.value("from_table"), scope));
  out.cost += from;
  const std::size_t sets = node.items("group_sets").size();
  scope.grouping_sets = std::max<std::uint64_t>(1, sets);
  out.rows = multiply_capped(scope.rows, scope.grouping_sets);
  SLUICE_TRY(const Cost list, select_list(node, scope, out));
  out.cost += list;
  const bool is_total = node.peek("group_expressions") != nullptr && node.items("group_expressions").empty();
  SLUICE_TRY(const Cost groups, grouping(node, scope));
  out.cost += groups;
  for (const std::string_view clause : {"where_clause", "having", "qualify"}) {
    SLUICE_TRY(const Item item, optional(node.value(clause), scope));
    out.cost += item.cost;
  }
  const std::string_view handling = node.text("aggregate_handling");
  if (handling != "STANDARD_HANDLING" && handling != "FORCE_AGGREGATES") return refused(handling);
  if (facts != nullptr && scope.has_aggregate && is_total && sets == 0 && handling == "STANDARD_HANDLING") {
    facts->rows_max = 1;
  }
  return out;
}

Result<Cost> SqlTreeCheck::select_list(SqlNode& node, Scope& scope, Relation& out) {
  Cost cost;
  bool lists = false;
  for (const json::Value& value : node.items("select_list")) {
    Item item;
    std::uint64_t width = 1;
    if (is_star(&value)) {
      SLUICE_TRY(SqlNode star_node, SqlNode::of(&value));
      SLUICE_TRY(item, star(star_node, scope, width));
      out.shapes.add(scope.shapes);
      scope.used.collects_lists = scope.used.collects_lists || scope.shapes.all().collects_lists;
    } else {
      const bool used_text = scope.used.collects_text;
      SLUICE_TRY(item, expression(&value, scope));
      // A text that only passes is not copied.
      if (is_column_reference(value) || has_class(value, "SUBQUERY")) scope.used.collects_text = used_text;
    }
    const std::string name = output_name(value);
    const json::Value* alias = value.find("alias");
    if (alias != nullptr && alias->is_string() && !alias->if_string()->empty())
      scope.aliases.insert_or_assign(name, item);
    if (!is_star(&value) && !name.empty() && !item.shape.is_plain()) out.shapes.add(name, item.shape);
    if (!is_star(&value) && name.empty()) out.shapes.others = out.shapes.others | item.shape;
    lists = lists || (!is_star(&value) && item.shape.collects_lists);
    out.width = add_capped(out.width, width);
    out.growth = out.growth.larger(item.growth);
    cost += item.cost;
  }
  if (scope.has_unnest && lists) SLUICE_CHECK(check_copies(true, {.collects_lists = true}));
  return cost;
}

Result<Cost> SqlTreeCheck::grouping(SqlNode& node, Scope& scope) {
  SLUICE_TRY(const Item groups, all(node.items("group_expressions"), scope));
  const json::Array& sets = node.items("group_sets");
  if (sets.size() > kSqlGroupingSetsMax) return too_large("with more than 64 grouping sets");
  for (const json::Value& set : sets) {
    if (!set.is_array()) return refused("a grouping set");
    for (const json::Value& index : *set.if_array()) {
      if (!index.is_number()) return refused("a grouping set");
    }
  }
  return groups.cost;
}

Result<SqlTreeCheck::Relation> SqlTreeCheck::set_operation(SqlNode& node, Scope& scope) {
  const std::string_view type = node.text("setop_type");
  if (type != "UNION" && type != "EXCEPT" && type != "INTERSECT" && type != "UNION_BY_NAME")
    return refused(type);
  node.flag("setop_all");
  SLUICE_TRY(const Relation left, query(node.value("left"), &scope));
  SLUICE_TRY(const Relation right, query(node.value("right"), &scope));
  Relation out{.width = std::max(left.width, right.width),
               .growth = left.growth.larger(right.growth),
               .cost = {},
               .rows = add_capped(left.rows, right.rows),
               .shapes = left.shapes};
  out.shapes.add(right.shapes);
  // Columns are matched by their places, so that a name on the right may stand for another on the left.
  out.shapes.others = right.shapes.all() | left.shapes.others;
  if (type == "UNION_BY_NAME") out.width = add_capped(left.width, right.width);
  out.cost.nodes = 1;
  out.cost += left.cost;
  out.cost += right.cost;
  scope.growth = out.growth;
  scope.width = out.width;
  return out;
}

Result<Cost> SqlTreeCheck::modifiers(SqlNode& node, Scope& scope, SqlFacts* facts) {
  Cost cost;
  for (const json::Value& value : node.items("modifiers")) {
    SLUICE_TRY(const Cost one, modifier(value, scope, facts));
    cost += one;
  }
  return cost;
}

Result<Cost> SqlTreeCheck::modifier(const json::Value& value, Scope& scope, SqlFacts* facts) {
  SLUICE_TRY(SqlNode node, SqlNode::of(&value));
  const std::string_view type = node.text("type");
  Cost cost;
  if (type == "ORDER_MODIFIER") {
    SLUICE_TRY(cost, orders(node.items("orders"), scope));
    if (facts != nullptr) facts->is_ordered = true;
  } else if (type == "DISTINCT_MODIFIER") {
    SLUICE_TRY(const Item targets, all(node.items("distinct_on_targets"), scope));
    cost = targets.cost;
  } else if (type == "LIMIT_MODIFIER" || type == "LIMIT_PERCENT_MODIFIER") {
    const json::Value* limit = node.value("limit");
    SLUICE_TRY(const Item limit_item, optional(limit, scope));
    SLUICE_TRY(const Item offset_item, optional(node.value("offset"), scope));
    cost = limit_item.cost;
    cost += offset_item.cost;
    const json::Value* held = limit == nullptr ? nullptr : limit->find("value");
    const json::Value* number = held == nullptr ? nullptr : held->find("value");
    if (facts != nullptr && type == "LIMIT_MODIFIER" && number != nullptr && number->is_number()) {
      const std::optional<std::int64_t> rows = number->if_number()->as_int64();
      if (rows && *rows >= 0) {
        const auto limited = static_cast<std::uint64_t>(*rows);
        facts->rows_max = std::min(facts->rows_max.value_or(limited), limited);
      }
    }
  } else {
    return refused(type);
  }
  SLUICE_CHECK(node.finish());
  return cost;
}

const SqlTreeCheck::Item* SqlTreeCheck::ordered_alias(const json::Value* key, const Scope& scope) {
  const json::Value* names =
      key != nullptr && is_column_reference(*key) ? key->find("column_names") : nullptr;
  if (names == nullptr || !names->is_array() || names->if_array()->size() != 1) return nullptr;
  const auto alias = scope.aliases.find(output_name(*key));
  return alias == scope.aliases.end() ? nullptr : &alias->second;
}

Result<Cost> SqlTreeCheck::orders(const json::Array& items, Scope& scope) {
  Cost cost;
  for (const json::Value& value : items) {
    SLUICE_TRY(SqlNode node, SqlNode::of(&value));
    node.text("type");
    node.text("null_order");
    const json::Value* key = node.value("expression");
    SLUICE_CHECK(node.finish());
    if (is_star(key)) {  // ORDER BY ALL: the columns that are selected, which have been counted.
      SLUICE_TRY(SqlNode all_columns, SqlNode::of(key));
      for (const std::string_view known : {"class", "type", "alias"}) all_columns.text(known);
      all_columns.flag("columns");
      SLUICE_CHECK(all_columns.finish());
      continue;
    }
    // ORDER BY looks for an alias first, even if a table has that name.
    if (const Item* alias = ordered_alias(key, scope)) {
      if (alias->shape.is_shared) scope.used.collects_text = true;
      cost += alias->cost;
      continue;
    }
    SLUICE_TRY(const Item item, expression(key, scope));
    cost += item.cost;
  }
  return cost;
}

void SqlTreeCheck::refuse_at(const json::Value* value) {
  if (!refused_at_ && value != nullptr) refused_at_ = place_in_text(*value);
}

Result<SqlFacts> check_tree(const json::Value& serialized, SqlTables& tables, SqlPlace& refused_at) {
  SqlTreeCheck check(tables, scan_filters(serialized));
  Result<SqlFacts> out = check.check(serialized);
  if (!out.ok()) refused_at = check.refused_at();
  return out;
}

}  // namespace sluice::expression
