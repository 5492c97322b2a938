#include <algorithm>
#include <array>
#include <optional>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

#include "sql_bounds.h"
#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

constexpr std::array<std::string_view, 6> kJoinTypes = {"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"};
constexpr std::array<std::string_view, 4> kJoinKinds = {"REGULAR", "NATURAL", "CROSS", "ASOF"};

// The number in AT (VERSION => number).
Result<std::int64_t> version_of(const json::Value& at_clause) {
  const json::Value* unit = at_clause.find("unit");
  if (unit == nullptr || !json::equal(*unit, "VERSION"))
    return unsupported_clause("AT (TIMESTAMP => …)",
                              "AT (VERSION => n) reads a data type as it was after its operation n.");
  const json::Value* expression = at_clause.find("expr");
  const json::Value* node_class = expression == nullptr ? nullptr : expression->find("class");
  const json::Value* constant =
      node_class != nullptr && json::equal(*node_class, "CONSTANT") ? expression->find("value") : nullptr;
  // A decimal is held as a whole number, too.
  const json::Value* type = constant == nullptr ? nullptr : constant->find("type");
  const json::Value* id = type == nullptr ? nullptr : type->find("id");
  const bool is_whole = id != nullptr && (json::equal(*id, "INTEGER") || json::equal(*id, "BIGINT"));
  const json::Value* value = is_whole ? constant->find("value") : nullptr;
  const json::Number* number = value == nullptr ? nullptr : value->if_number();
  const std::optional<std::int64_t> version = number == nullptr ? std::nullopt : number->as_int64();
  if (!version || *version < 0)
    return unsupported_clause("AT (VERSION => …) without a whole number", "Write it as AT (VERSION => 12).");
  return *version;
}

}  // namespace

Result<const SqlTables::Table*> SqlTables::find_version(const std::vector<std::string>& /*parts*/,
                                                        std::int64_t /*version*/,
                                                        const ScanFilters& /*filters*/) {
  return unsupported_clause("AT (VERSION => …)",
                            "This table has no versions, only data types have. Name it alone.");
}

std::string_view SqlTables::listing_hint() const {
  return "The tools that list the datasets tell their columns; get_schema has those of one.";
}

void SqlTreeCheck::enter(Scope& scope, std::string_view name, const Relation& relation) {
  if (!name.empty()) scope.relations.push_back(to_lower_ascii(name));
  scope.width = add_capped(scope.width, relation.width);
  scope.growth = scope.growth.larger(relation.growth);
  scope.rows = std::max(scope.rows, relation.rows);  // Beside a join no median is allowed.
  scope.shapes.add(relation.shapes);
}

Result<Cost> SqlTreeCheck::table(const json::Value* value, Scope& scope) {
  Result<Cost> out = table_of(value, scope);
  if (!out.ok()) refuse_at(value);
  return out;
}

Result<Cost> SqlTreeCheck::table_of(const json::Value* value, Scope& scope) {
  SLUICE_TRY(SqlNode node, SqlNode::of(value));
  const std::string_view type = node.text("type");
  if (node.value("sample") != nullptr) return no_sample();
  Cost cost;
  if (type == "BASE_TABLE") {
    SLUICE_TRY(cost, base_table(node, scope));
  } else if (type == "JOIN") {
    SLUICE_TRY(cost, join(node, scope));
  } else if (type == "SUBQUERY") {
    // What stands left of it is in scope: every subquery in FROM may be LATERAL.
    SLUICE_TRY(Relation relation, nested(node.value("subquery"), &scope));
    if (!node.items("column_name_alias").empty())
      relation.shapes = {.named = {}, .others = relation.shapes.all()};
    SLUICE_CHECK(node.names("column_name_alias"));
    enter(scope, node.text("alias"), relation);
    cost = relation.cost;
    cost += Cost{.tables = 1};
  } else if (type == "EXPRESSION_LIST") {
    SLUICE_TRY(cost, values(node, scope));
  } else if (type == "TABLE_FUNCTION") {
    SLUICE_TRY(cost, table_function(node, scope));
  } else if (type == "PIVOT") {
    SLUICE_TRY(cost, pivot(node, scope));
  } else if (type != "EMPTY") {
    if (type != "SHOW_REF") return refused(type);
    return refused("SHOW, DESCRIBE or SUMMARIZE").with_hint(tables_.listing_hint());
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
  std::optional<std::int64_t> version;
  if (const json::Value* at_clause = node.value("at_clause"); at_clause != nullptr) {
    SLUICE_TRY(version, version_of(*at_clause));
  }
  const bool renames = !node.items("column_name_alias").empty();
  SLUICE_CHECK(node.names("column_name_alias"));
  const std::string_view alias = node.text("alias");
  const std::string key = to_lower_ascii(name);
  const Relation* found = nullptr;
  for (const Scope* at = &scope; at != nullptr && found == nullptr && parts.size() == 1; at = at->outer) {
    const auto entry = at->with.find(key);
    if (entry != at->with.end()) found = &entry->second;
  }
  const std::string visible = to_lower_ascii(alias.empty() ? name : alias);
  Relation relation;
  if (found != nullptr) {
    if (version)
      return unsupported_clause("AT (VERSION => …) of a WITH table", "Write it in the WITH table itself.");
    relation = *found;
    if (renames) relation.shapes = {.named = {}, .others = relation.shapes.all()};
  } else {
    static const ScanFilters kNoFilters;
    const auto filters = filters_.find(&node.object());
    const ScanFilters& kept = filters == filters_.end() ? kNoFilters : filters->second;
    SLUICE_TRY(const SqlTables::Table* table,
               version ? tables_.find_version(parts, *version, kept) : tables_.find(parts, kept));
    relation = Relation{.width = table->columns.size(), .growth = {.cells = 1}};
    found_.emplace(&node.object(), table);
    for (const engine::Field& column : table->columns) {
      std::string lower = to_lower_ascii(column.name);
      if (engine::is_nested(column.type.id)) {
        relation.shapes.add(lower, Shape::of(column.type));
        if (renames) relation.shapes.others.is_nested = true;
      }
      if (!renames) scope.columns.insert(lower);
      if (!renames && lower == visible) scope.self_named.insert(lower);
      names_.insert(std::move(lower));
    }
  }
  enter(scope, visible, relation);
  Cost cost{.nodes = 1, .tables = 1};
  cost += relation.cost;
  return cost;
}

Result<Cost> SqlTreeCheck::join(SqlNode& node, Scope& scope) {
  has_join_ = true;
  scope.repeats_rows = true;
  const std::string_view type = node.text("join_type");
  const std::string_view kind = node.text("ref_type");
  if (!is_one_of(type, kJoinTypes)) return refused("a join of type " + std::string(type));
  if (kind == "POSITIONAL") {
    return unsupported_clause("POSITIONAL JOIN",
                              "Add row_number() OVER (ORDER BY …) to both tables and join on it.");
  }
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
    relation.shapes.others = relation.shapes.others | item.shape;
  }
  enter(scope, node.text("alias"), relation);
  relation.cost += Cost{.tables = 1};
  return relation.cost;
}

// unnest, range and generate_series. What stands left of it is in scope.
Result<Cost> SqlTreeCheck::table_function(SqlNode& node, Scope& scope) {
  SLUICE_TRY(SqlNode call_node, SqlNode::of(node.value("function")));
  const json::Array& arguments = call_node.items("children");
  for (const std::string_view known : {"class", "type", "alias"}) call_node.text(known);
  SLUICE_TRY(const SqlFunction* function, named_function(call_node, arguments.size()));
  if (function->kind != FunctionKind::kUnnest && function->kind != FunctionKind::kSeries) {
    return refused("the function " + std::string(function->name) + " in FROM")
        .with_hint("In FROM there may be tables, subqueries, unnest(list) and range(first, last).");
  }
  has_join_ = true;  // It gives any number of rows.
  Item item;
  if (function->kind == FunctionKind::kSeries) {
    SLUICE_CHECK(check_series(*function, arguments, kSqlSeriesRowsMax));
    SLUICE_TRY(item, all(arguments, scope));
  } else {
    SLUICE_TRY(item, call(*function, arguments, scope));
  }
  if (const json::Value* order = call_node.value("order_bys"); order != nullptr) {
    SLUICE_TRY(SqlNode order_node, SqlNode::of(order));
    order_node.text("type");
    SLUICE_CHECK(order_node.finish());
  }
  SLUICE_CHECK(call_node.finish());
  node.text("with_ordinality");
  const json::Array& renamed = node.items("column_name_alias");
  SLUICE_CHECK(node.names("column_name_alias"));
  const std::string_view alias = node.text("alias");
  const std::string name = to_lower_ascii(alias.empty() ? function->name : alias);
  Relation relation{.width = 2, .growth = item.growth, .cost = {}, .rows = 1, .shapes = {}};
  const std::string* column = renamed.empty() ? nullptr : renamed.front().if_string();
  const std::string column_name = column == nullptr ? std::string(function->name) : to_lower_ascii(*column);
  if (!item.shape.is_plain()) relation.shapes.add(column_name, item.shape);
  scope.columns.insert(column_name);
  scope.self_named.insert(name);
  if (name != column_name) relation.shapes.add(name, {.is_nested = true});  // `AS x` alone: x is a row of it.
  scope.columns.insert(name);
  enter(scope, name, relation);
  Cost cost{.nodes = 1, .tables = 1, .grown = {}, .kept_values = 0};
  cost += item.cost;
  return cost;
}

// PIVOT gives a column for each value, and UNPIVOT a row for each column.
Result<Cost> SqlTreeCheck::pivot(SqlNode& node, Scope& scope) {
  Scope inner{.outer = &scope};
  SLUICE_TRY(Cost cost, table(node.value("source"), inner));
  const json::Array& aggregates = node.items("aggregates");
  std::uint64_t columns = std::max<std::uint64_t>(1, aggregates.size());
  for (const json::Value& pivoted : node.items("pivots")) {
    SLUICE_TRY(const Cost one, pivot_columns(pivoted, inner, columns));
    cost += one;
  }
  if (columns > kSqlPivotColumnsMax) return too_large("with more than 1,000 columns of PIVOT");
  SLUICE_TRY(const Item values, all(aggregates, inner));
  cost += values.cost.times(columns);
  for (const std::string_view names : {"groups", "unpivot_names", "column_name_alias"})
    SLUICE_CHECK(node.names(names));
  node.flag("include_nulls");
  SLUICE_CHECK(check_copies(inner.repeats_rows, inner.used));
  Relation relation{.width = add_capped(inner.width, columns),
                    .growth = inner.growth.larger(values.growth),
                    .cost = {},
                    .rows = multiply_capped(inner.rows, aggregates.empty() ? columns : 1),
                    .shapes = {.named = {}, .others = inner.shapes.all() | values.shape}};
  enter(scope, node.text("alias"), relation);
  cost += Cost{.nodes = relation.width, .tables = 1, .grown = {}, .kept_values = 0};
  return cost;
}

Result<Cost> SqlTreeCheck::pivot_columns(const json::Value& value, Scope& scope, std::uint64_t& width) {
  SLUICE_TRY(SqlNode node, SqlNode::of(&value));
  SLUICE_TRY(const Item pivoted, all(node.items("pivot_expressions"), scope));
  SLUICE_CHECK(node.names("unpivot_names"));
  const json::Array& entries = node.items("entries");
  std::uint64_t columns = entries.size();
  for (const json::Value& item : entries) {
    SLUICE_TRY(SqlNode entry, SqlNode::of(&item));
    entry.text("alias");
    for (const json::Value& held : entry.items("values")) SLUICE_CHECK(check_constant(&held));
    if (const json::Value* star_value = entry.value("star_expr"); star_value != nullptr) {
      SLUICE_TRY(SqlNode star_node, SqlNode::of(star_value));
      for (const std::string_view known : {"class", "type", "alias", "relation_name"}) star_node.text(known);
      star_node.flag("columns");
      SLUICE_CHECK(star_node.names("exclude_list"));
      SLUICE_CHECK(star_node.finish());
      columns = add_capped(columns, scope.width);
    }
    SLUICE_CHECK(entry.finish());
  }
  SLUICE_CHECK(node.finish());
  width = multiply_capped(width, std::max<std::uint64_t>(1, columns));
  return pivoted.cost;
}

}  // namespace sluice::expression
