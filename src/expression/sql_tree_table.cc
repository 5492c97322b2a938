#include <algorithm>
#include <array>

#include "sluice/base/text.h"

#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 6> kJoinTypes = {"INNER", "LEFT", "RIGHT", "OUTER", "SEMI", "ANTI"};
constexpr std::array<std::string_view, 4> kJoinKinds = {"REGULAR", "NATURAL", "CROSS", "ASOF"};

template <std::size_t kSize>
bool is_one_of(std::string_view word, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string_view name_of_table(std::string_view type) {
  if (type == "TABLE_FUNCTION") return "a function in FROM";
  if (type == "SHOW_REF") return "SHOW, DESCRIBE or SUMMARIZE";
  return type;
}

}  // namespace

void SqlTreeCheck::enter(Scope& scope, std::string_view name, const Relation& relation) {
  if (!name.empty()) scope.relations.push_back(to_lower_ascii(name));
  scope.width = add_capped(scope.width, relation.width);
  scope.growth = scope.growth.larger(relation.growth);
}

Result<Cost> SqlTreeCheck::table(const json::Value* value, Scope& scope) {
  SLUICE_TRY(SqlNode node, SqlNode::of(value));
  const std::string_view type = node.text("type");
  Cost cost;
  if (type == "BASE_TABLE") {
    SLUICE_TRY(cost, base_table(node, scope));
  } else if (type == "JOIN") {
    SLUICE_TRY(cost, join(node, scope));
  } else if (type == "SUBQUERY") {
    // What stands left of it is in scope: every subquery in FROM may be LATERAL.
    SLUICE_TRY(const Relation relation, nested(node.value("subquery"), &scope));
    SLUICE_CHECK(node.names("column_name_alias"));
    enter(scope, node.text("alias"), relation);
    cost = relation.cost;
    cost += Cost{.tables = 1};
  } else if (type == "EXPRESSION_LIST") {
    SLUICE_TRY(cost, values(node, scope));
  } else if (type != "EMPTY") {
    return refused(name_of_table(type));
  }
  SLUICE_CHECK(node.finish());
  return cost;
}

Result<Cost> SqlTreeCheck::base_table(SqlNode& node, Scope& scope) {
  const std::string_view name = node.text("table_name");
  std::vector<std::string> parts;
  for (const std::string_view key : {"catalog_name", "schema_name"}) {
    if (const std::string_view part = node.text(key); !part.empty()) parts.emplace_back(part);
  }
  parts.emplace_back(name);
  const bool renames = !node.items("column_name_alias").empty();
  SLUICE_CHECK(node.names("column_name_alias"));
  const std::string_view alias = node.text("alias");
  const std::string key = to_lower_ascii(name);
  const Relation* found = nullptr;
  for (const Scope* at = &scope; at != nullptr && found == nullptr && parts.size() == 1; at = at->outer) {
    const auto entry = at->with.find(key);
    if (entry != at->with.end()) found = &entry->second;
  }
  Relation relation;
  if (found != nullptr) {
    relation = *found;
  } else {
    SLUICE_TRY(const SqlTables::Table* table, tables_.find(parts));
    relation = Relation{.width = table->columns.size(), .growth = {.cells = 1}};
    found_.emplace(&node.object(), table);
    for (const engine::Field& column : table->columns) {
      std::string lower = to_lower_ascii(column.name);
      if (!renames) scope.columns.insert(lower);
      names_.insert(std::move(lower));
    }
  }
  enter(scope, alias.empty() ? name : alias, relation);
  Cost cost{.nodes = 1, .tables = 1};
  cost += relation.cost;
  return cost;
}

Result<Cost> SqlTreeCheck::join(SqlNode& node, Scope& scope) {
  has_join_ = true;
  const std::string_view type = node.text("join_type");
  const std::string_view kind = node.text("ref_type");
  if (!is_one_of(type, kJoinTypes)) return refused("a join of type " + std::string(type));
  if (!is_one_of(kind, kJoinKinds)) return refused("a join of kind " + std::string(kind));
  SLUICE_CHECK(node.names("using_columns"));
  node.text("alias");
  Cost cost{.nodes = 1};
  SLUICE_TRY(const Cost left, table(node.value("left"), scope));
  SLUICE_TRY(const Cost right, table(node.value("right"), scope));
  SLUICE_TRY(const Item condition, optional(node.value("condition"), scope));
  cost += left;
  cost += right;
  cost += condition.cost;
  return cost;
}

Result<Cost> SqlTreeCheck::values(SqlNode& node, Scope& scope) {
  Relation relation;
  for (const json::Value& row : node.items("values")) {
    if (!row.is_array()) return refused("VALUES");
    SLUICE_TRY(const Item item, all(*row.if_array(), scope));
    relation.width = std::max<std::uint64_t>(relation.width, row.if_array()->size());
    relation.growth = relation.growth.larger(item.growth);
    relation.cost += item.cost;
  }
  enter(scope, node.text("alias"), relation);
  relation.cost += Cost{.tables = 1};
  return relation.cost;
}

}  // namespace sluice::expression
