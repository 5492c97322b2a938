#include <algorithm>
#include <array>

#include "sluice/base/text.h"

#include "sql_result_size.h"
#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

constexpr Growth kTruth{.cells = 0, .bytes = 5};  // `false`.

// Types of constants and casts.
constexpr std::array<std::string_view, 26> kTypes = {"NULL",
                                                     "BOOLEAN",
                                                     "TINYINT",
                                                     "SMALLINT",
                                                     "INTEGER",
                                                     "BIGINT",
                                                     "HUGEINT",
                                                     "UTINYINT",
                                                     "USMALLINT",
                                                     "UINTEGER",
                                                     "UBIGINT",
                                                     "UHUGEINT",
                                                     "FLOAT",
                                                     "DOUBLE",
                                                     "DECIMAL",
                                                     "VARCHAR",
                                                     "DATE",
                                                     "TIME",
                                                     "TIMESTAMP",
                                                     "TIMESTAMP_S",
                                                     "TIMESTAMP_MS",
                                                     "TIMESTAMP_NS",
                                                     "TIMESTAMP WITH TIME ZONE",
                                                     "INTERVAL",
                                                     "UUID",
                                                     "INTEGER_LITERAL"};

constexpr std::array<std::string_view, 4> kNestedTypes = {"LIST", "ARRAY", "STRUCT", "MAP"};

constexpr std::array<std::string_view, 10> kOperators = {
    "OPERATOR_NOT",   "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE", "COMPARE_IN",
    "COMPARE_NOT_IN", "ARRAY_EXTRACT",    "STRUCT_EXTRACT",       "GROUPING_FUNCTION", "ARRAY_SLICE"};

// A column of such a name is a function where there is no column.
constexpr std::array<std::string_view, 12> kFunctionsWithoutBrackets = {
    "current_catalog", "current_database", "current_date",      "current_role",
    "current_schema",  "current_time",     "current_timestamp", "current_user",
    "localtime",       "localtimestamp",   "session_user",      "user"};

// JSON is text that the engine knows by a name.
bool is_json(const json::Value& type) {
  const json::Value* id = type.find("id");
  const json::Value* info = type.find("type_info");
  const json::Value* name = info == nullptr ? nullptr : info->find("name");
  return id != nullptr && json::equal(*id, "UNBOUND") && name != nullptr && name->is_string() &&
         to_lower_ascii(*name->if_string()) == "json";
}

bool is_nested_type(const json::Value& type) {
  const json::Value* id = type.find("id");
  return id != nullptr && id->is_string() && is_one_of(*id->if_string(), kNestedTypes);
}

bool is_text_type(const json::Value& type) {
  const json::Value* id = type.find("id");
  return is_json(type) || (id != nullptr && json::equal(*id, "VARCHAR"));
}

Status check_type(const json::Value* value);

Status check_type_parts(SqlNode& details) {
  const std::string_view kind = details.text("type");
  if (kind == "DECIMAL_TYPE_INFO") {
    details.value("width");
    details.value("scale");
  } else if (kind == "LIST_TYPE_INFO" || kind == "ARRAY_TYPE_INFO") {
    SLUICE_CHECK(check_type(details.value("child_type")));
    details.value("size");
  } else if (kind == "STRUCT_TYPE_INFO") {
    for (const json::Value& member : details.items("child_types")) {
      SLUICE_TRY(SqlNode pair, SqlNode::of(&member));
      pair.text("first");
      SLUICE_CHECK(check_type(pair.value("second")));
      SLUICE_CHECK(pair.finish());
    }
  } else if (kind == "UNBOUND_TYPE_INFO") {
    details.text("name");
  } else {
    return refused("a type with parts");
  }
  return details.finish();
}

Status check_type(const json::Value* value) {
  SLUICE_TRY(SqlNode type, SqlNode::of(value));
  const std::string_view id = type.text("id");
  if (!is_one_of(id, kTypes) && !is_one_of(id, kNestedTypes) && !is_json(*value)) {
    return refused("the type " + std::string(id == "UNBOUND" ? "of a cast" : id));
  }
  if (const json::Value* info = type.value("type_info"); info != nullptr) {
    SLUICE_TRY(SqlNode details, SqlNode::of(info));
    SLUICE_CHECK(check_type_parts(details));
  }
  return type.finish();
}

// Of `column`, `table.column` or `column.member`, whichever it is.
Shape column_shape(const json::Array& parts, const ColumnShapes& shapes) {
  const bool has_table = parts.size() > 1 && shapes.named.contains(to_lower_ascii(*parts[1].if_string()));
  for (std::size_t i = has_table ? 1 : 0; i < parts.size(); ++i) {
    Shape shape = shapes.of(to_lower_ascii(*parts[i].if_string()));
    if (shape.is_plain()) continue;
    for (std::size_t k = i + 1; k < parts.size(); ++k) shape = shape.member(*parts[k].if_string());
    return shape;
  }
  return {};
}

}  // namespace

Status check_constant(const json::Value* value) {
  SLUICE_TRY(SqlNode held, SqlNode::of(value));
  SLUICE_CHECK(check_type(held.value("type")));
  held.flag("is_null");
  const json::Value* content = held.value("value");
  // Numbers of 128 bits are two numbers, and `list[2:]` has an empty list where its end would stand.
  const json::Object* halves = content == nullptr ? nullptr : content->if_object();
  const bool has_parts =
      halves != nullptr && !std::all_of(halves->begin(), halves->end(),
                                        [](const json::Member& half) { return half.value.is_number(); });
  if (has_parts || (content != nullptr && content->is_array())) return refused("a constant with parts");
  return held.finish();
}

const std::string* constant_text(const json::Value& expression) {
  const json::Value* node_class = expression.find("class");
  if (node_class == nullptr || !node_class->is_string() || *node_class->if_string() != "CONSTANT")
    return nullptr;
  const json::Value* held = expression.find("value");
  const json::Value* text = held == nullptr ? nullptr : held->find("value");
  return text == nullptr ? nullptr : text->if_string();
}

Result<SqlTreeCheck::Item> SqlTreeCheck::optional(const json::Value* value, Scope& scope) {
  if (value == nullptr) return Item{};
  return expression(value, scope);
}

Result<SqlTreeCheck::Item> SqlTreeCheck::all(const json::Array& values, Scope& scope) {
  Item out;
  for (const json::Value& value : values) {
    SLUICE_TRY(const Item item, expression(&value, scope));
    out.include(item);
  }
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::members(SqlNode& node, Scope& scope,
                                                 std::initializer_list<std::string_view> keys) {
  Item out;
  for (const std::string_view key : keys) {
    SLUICE_TRY(const Item item, expression(node.value(key), scope));
    out.include(item);
  }
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::expression(const json::Value* value, Scope& scope) {
  Result<Item> out = expression_of(value, scope);
  if (!out.ok()) refuse_at(value);
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::expression_of(const json::Value* value, Scope& scope) {
  SLUICE_TRY(SqlNode node, SqlNode::of(value));
  const std::string_view node_class = node.text("class");
  node.text("alias");
  Item out;
  if (node_class == "COLUMN_REF") {
    SLUICE_TRY(out, column(node, scope));
  } else if (node_class == "CONSTANT") {
    SLUICE_TRY(out, constant(node));
  } else if (node_class == "FUNCTION") {
    SLUICE_TRY(out, function(node, scope));
  } else if (node_class == "WINDOW") {
    SLUICE_TRY(out, window(node, scope));
  } else if (node_class == "CASE") {
    SLUICE_TRY(out, case_of(node, scope));
  } else if (node_class == "CAST") {
    SLUICE_TRY(out, cast(node, scope));
  } else if (node_class == "COLLATE") {
    SLUICE_TRY(out, collate(node, scope));
  } else if (node_class == "COMPARISON") {
    SLUICE_TRY(out, members(node, scope, {"left", "right"}));
    out = Item{.cost = out.cost, .growth = kTruth, .shape = {}};
  } else if (node_class == "CONJUNCTION") {
    SLUICE_TRY(out, all(node.items("children"), scope));
    out = Item{.cost = out.cost, .growth = kTruth, .shape = {}};
  } else if (node_class == "BETWEEN") {
    SLUICE_TRY(out, members(node, scope, {"input", "lower", "upper"}));
    out = Item{.cost = out.cost, .growth = kTruth, .shape = {}};
  } else if (node_class == "OPERATOR") {
    SLUICE_TRY(out, operation(node, scope));
  } else if (node_class == "SUBQUERY") {
    SLUICE_TRY(out, subquery(node, scope));
  } else if (node_class == "LAMBDA") {
    SLUICE_TRY(out, arrow(node, scope));
  } else if (node_class == "POSITIONAL_REFERENCE") {
    node.value("index");
    out.growth = scope.growth;
    out.shape = scope.shapes.all();
    scope.used = scope.used | out.shape;
  } else if (node_class == "STAR") {
    return refused("* or COLUMNS(…) inside an expression; name the columns");
  } else if (node_class == "PARAMETER") {
    return refused("a placeholder; write the value itself");
  } else {
    return refused(node_class);
  }
  node.text("type");
  SLUICE_CHECK(node.finish());
  out.cost += Cost{.nodes = 1};
  return out;
}

bool SqlTreeCheck::is_local(const json::Array& column, const Scope& scope) const {
  const std::string first = to_lower_ascii(*column.front().if_string());
  if (scope.columns.contains(first)) return true;
  return column.size() > 1 &&
         std::find(scope.relations.begin(), scope.relations.end(), first) != scope.relations.end();
}

Result<SqlTreeCheck::Item> SqlTreeCheck::column(SqlNode& node, Scope& scope) {
  const json::Array& parts = node.items("column_names");
  for (const json::Value& part : parts) {
    if (!part.is_string()) return refused("a column without a name");
  }
  if (parts.empty()) return refused("a column without a name");
  const std::string name = to_lower_ascii(*parts.back().if_string());
  if (parts.size() == 1 && is_one_of(name, kFunctionsWithoutBrackets) && !names_.contains(name)) {
    return refused(name + ", which is no column").with_hint(alternative_to(name));
  }
  const Scope* home = &scope;  // The query that the expression is in, around any lambdas.
  while (!home->parameters.empty() && home->outer != nullptr) home = home->outer;
  const bool is_foreign = !is_local(parts, *home);
  Item out;
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    if (at->parameters.contains(to_lower_ascii(*parts.front().if_string()))) {
      out.growth = out.growth.larger(at->growth);
      out.shape.is_nested = at->has_nested_elements;
      out.shape.is_captured = at != &scope;
      return out;
    }
    if (!at->parameters.empty()) {
      scope.uses_columns = true;
      continue;
    }
    if (at == home) out.shape.is_captured = home != &scope;
    if (at != home && is_foreign && !at->relations.empty()) has_join_ = true;
    const Shape shape = column_shape(parts, at->shapes);
    out.shape = out.shape | shape;
    scope.used = scope.used | shape;
    if (at != home && shape.collects()) scope.repeats_rows = true;
    // The name of a table alone is its row as a record, which casts to text as any type with parts.
    const auto tables = std::count(at->relations.begin(), at->relations.end(), name);
    const bool is_its_column = tables == 1 && at->self_named.contains(name);
    if (parts.size() == 1 && tables > 0 && !is_its_column) {
      return refused("the table " + name + " as a value; name a column, or give the table another name");
    }
    out.growth = out.growth.larger(at->growth);
    if (const auto alias = at->aliases.find(name); alias != at->aliases.end()) {
      out.include(alias->second);
      if (alias->second.shape.is_shared) scope.used.collects_text = true;
    }
  }
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::star(SqlNode& node, Scope& scope, std::uint64_t& width) {
  node.text("class");
  node.text("type");
  node.text("alias");
  if (node.flag("columns")) return refused("COLUMNS(…); name the columns");
  node.text("relation_name");
  SLUICE_CHECK(node.names("exclude_list"));
  SLUICE_CHECK(node.names("qualified_exclude_list"));
  SLUICE_CHECK(node.names("rename_list"));
  Item out{.cost = {}, .growth = scope.growth, .shape = {}};
  width = scope.width;
  out.cost.nodes = add_capped(width, 1);
  for (const json::Value& entry : node.items("replace_list")) {
    SLUICE_TRY(SqlNode pair, SqlNode::of(&entry));
    const std::string_view name = pair.text("key");
    SLUICE_TRY(const Item item, expression(pair.value("value"), scope));
    SLUICE_CHECK(pair.finish());
    scope.aliases.insert_or_assign(to_lower_ascii(name), item);
    out.include(item);
  }
  SLUICE_CHECK(node.finish());
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::constant(SqlNode& node) {
  const json::Value* held = node.value("value");
  SLUICE_CHECK(check_constant(held));
  Item out{.cost = {}, .growth = {.bytes = kNumberBytes}, .shape = {}};
  const json::Value* value = held->find("value");
  if (value != nullptr && value->is_string()) out.growth.bytes = value->if_string()->size();
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::case_of(SqlNode& node, Scope& scope) {
  Item out;
  for (const json::Value& check : node.items("case_checks")) {
    SLUICE_TRY(SqlNode pair, SqlNode::of(&check));
    SLUICE_TRY(const Item item, members(pair, scope, {"when_expr", "then_expr"}));
    SLUICE_CHECK(pair.finish());
    out.include(item);
  }
  SLUICE_TRY(const Item otherwise, optional(node.value("else_expr"), scope));
  out.include(otherwise);
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::cast(SqlNode& node, Scope& scope) {
  const json::Value* type = node.value("cast_type");
  SLUICE_CHECK(check_type(type));
  node.flag("try_cast");
  SLUICE_TRY(Item out, members(node, scope, {"child"}));
  const bool is_nested = is_nested_type(*type);
  if (is_nested || (out.shape.is_nested && is_text_type(*type))) {
    out.growth = out.growth.times(kNestedTextFactor);
    out.cost.grown = out.cost.grown + out.growth;
  }
  out.shape.is_nested = is_nested;
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::collate(SqlNode& node, Scope& scope) {
  const std::string name = to_lower_ascii(node.text("collation"));
  if (name != "nocase" && name != "noaccent" && name != "nocase.noaccent" && name != "noaccent.nocase") {
    return refused("the collation " + name);
  }
  return members(node, scope, {"child"});
}

Result<SqlTreeCheck::Item> SqlTreeCheck::operation(SqlNode& node, Scope& scope) {
  const std::string_view type = node.text("type");
  if (!is_one_of(type, kOperators)) return refused("the operator " + std::string(type));
  const json::Array& children = node.items("children");
  if ((type == "ARRAY_EXTRACT" || type == "STRUCT_EXTRACT") && children.size() == 2) {
    SLUICE_TRY(Item out, expression(&children.front(), scope));
    SLUICE_TRY(const Item index, expression(&children.back(), scope));
    const std::string* name = constant_text(children.back());
    out.shape = name == nullptr ? out.shape.element() : out.shape.member(*name);
    out.cost += index.cost;
    return out;
  }
  SLUICE_TRY(Item out, all(children, scope));
  if (type.starts_with("OPERATOR_IS") || type.starts_with("COMPARE") || type == "OPERATOR_NOT")
    out = Item{.cost = out.cost, .growth = kTruth, .shape = {}};
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::subquery(SqlNode& node, Scope& scope) {
  node.text("subquery_type");
  node.text("comparison_type");
  SLUICE_TRY(const Relation relation, nested(node.value("subquery"), &scope));
  SLUICE_TRY(const Item child, optional(node.value("child"), scope));
  const Shape shape = relation.shapes.all();
  scope.used = scope.used | shape;
  scope.repeats_rows = scope.repeats_rows || shape.collects();  // It is run as a join.
  Item out{.cost = relation.cost, .growth = relation.growth.larger(child.growth), .shape = shape};
  out.shape.is_shared = shape.collects_text;
  out.cost += child.cost;
  out.cost += Cost{.tables = 1};
  return out;
}

}  // namespace sluice::expression
