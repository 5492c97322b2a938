#include <algorithm>
#include <array>

#include "sluice/base/text.h"

#include "sql_tree_check.h"

namespace sluice::expression {

namespace {

// Types of constants and casts. Types with parts are not among them: a value packed into a list or a record
// and cast back to text gets its quotes escaped, and twice as long each time.
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

constexpr std::array<std::string_view, 9> kOperators = {
    "OPERATOR_NOT",   "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE", "COMPARE_IN",
    "COMPARE_NOT_IN", "ARRAY_EXTRACT",    "STRUCT_EXTRACT",       "GROUPING_FUNCTION"};

// A column of such a name is a function where there is no column.
constexpr std::array<std::string_view, 12> kFunctionsWithoutBrackets = {
    "current_catalog", "current_database", "current_date",      "current_role",
    "current_schema",  "current_time",     "current_timestamp", "current_user",
    "localtime",       "localtimestamp",   "session_user",      "user"};

template <std::size_t kSize>
bool is_one_of(std::string_view word, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Status check_type(const json::Value* value) {
  SLUICE_TRY(SqlNode type, SqlNode::of(value));
  const std::string_view id = type.text("id");
  if (!is_one_of(id, kTypes)) {
    return refused("the type " + std::string(id == "UNBOUND" ? "of a cast" : id));
  }
  if (const json::Value* info = type.value("type_info"); info != nullptr) {
    SLUICE_TRY(SqlNode details, SqlNode::of(info));
    if (details.text("type") != "DECIMAL_TYPE_INFO") return refused("a type with parts");
    details.value("width");
    details.value("scale");
    SLUICE_CHECK(details.finish());
  }
  return type.finish();
}

}  // namespace

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
    out.cost += item.cost;
    out.growth = out.growth.larger(item.growth);
  }
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::members(SqlNode& node, Scope& scope,
                                                 std::initializer_list<std::string_view> keys) {
  Item out;
  for (const std::string_view key : keys) {
    SLUICE_TRY(const Item item, expression(node.value(key), scope));
    out.cost += item.cost;
    out.growth = out.growth.larger(item.growth);
  }
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::expression(const json::Value* value, Scope& scope) {
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
  } else if (node_class == "CONJUNCTION") {
    SLUICE_TRY(out, all(node.items("children"), scope));
  } else if (node_class == "BETWEEN") {
    SLUICE_TRY(out, members(node, scope, {"input", "lower", "upper"}));
  } else if (node_class == "OPERATOR") {
    SLUICE_TRY(out, operation(node, scope));
  } else if (node_class == "SUBQUERY") {
    SLUICE_TRY(out, subquery(node, scope));
  } else if (node_class == "POSITIONAL_REFERENCE") {
    node.value("index");
    out.growth = scope.growth;
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
  if (column.size() > 1) {
    return std::find(scope.relations.begin(), scope.relations.end(), first) != scope.relations.end();
  }
  return scope.columns.contains(first);
}

Result<SqlTreeCheck::Item> SqlTreeCheck::column(SqlNode& node, const Scope& scope) {
  const json::Array& parts = node.items("column_names");
  for (const json::Value& part : parts) {
    if (!part.is_string()) return refused("a column without a name");
  }
  if (parts.empty()) return refused("a column without a name");
  const std::string name = to_lower_ascii(*parts.back().if_string());
  if (parts.size() == 1 && is_one_of(name, kFunctionsWithoutBrackets) && !names_.contains(name)) {
    return refused(name + ", which is no column");
  }
  const bool is_foreign = !is_local(parts, scope);
  Item out;
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    if (at != &scope && is_foreign && !at->relations.empty()) has_join_ = true;
    // The name of a table alone is its row as a record, which casts to text as any type with parts.
    if (parts.size() == 1 &&
        std::find(at->relations.begin(), at->relations.end(), name) != at->relations.end()) {
      return refused("the table " + name + " as a value; name a column, or give the table another name");
    }
    out.growth = out.growth.larger(at->growth);
    if (const auto alias = at->aliases.find(name); alias != at->aliases.end()) {
      out.growth = out.growth.larger(alias->second.growth);
      out.cost += alias->second.cost;
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
  Item out{.growth = scope.growth};
  width = scope.width;
  out.cost.nodes = add_capped(width, 1);
  for (const json::Value& entry : node.items("replace_list")) {
    SLUICE_TRY(SqlNode pair, SqlNode::of(&entry));
    const std::string_view name = pair.text("key");
    SLUICE_TRY(const Item item, expression(pair.value("value"), scope));
    SLUICE_CHECK(pair.finish());
    scope.aliases.insert_or_assign(to_lower_ascii(name), item);
    out.cost += item.cost;
    out.growth = out.growth.larger(item.growth);
  }
  SLUICE_CHECK(node.finish());
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::constant(SqlNode& node) {
  constexpr std::uint64_t kNumberBytes = 40;
  SLUICE_TRY(SqlNode held, SqlNode::of(node.value("value")));
  SLUICE_CHECK(check_type(held.value("type")));
  held.flag("is_null");
  Item out{.growth = {.bytes = kNumberBytes}};
  const json::Value* value = held.value("value");
  if (value != nullptr && value->is_string()) out.growth.bytes = value->if_string()->size();
  if (value != nullptr && value->is_array()) return refused("a constant with parts");
  SLUICE_CHECK(held.finish());
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::case_of(SqlNode& node, Scope& scope) {
  Item out;
  for (const json::Value& check : node.items("case_checks")) {
    SLUICE_TRY(SqlNode pair, SqlNode::of(&check));
    SLUICE_TRY(const Item item, members(pair, scope, {"when_expr", "then_expr"}));
    SLUICE_CHECK(pair.finish());
    out.cost += item.cost;
    out.growth = out.growth.larger(item.growth);
  }
  SLUICE_TRY(const Item otherwise, optional(node.value("else_expr"), scope));
  out.cost += otherwise.cost;
  out.growth = out.growth.larger(otherwise.growth);
  return out;
}

Result<SqlTreeCheck::Item> SqlTreeCheck::cast(SqlNode& node, Scope& scope) {
  SLUICE_CHECK(check_type(node.value("cast_type")));
  node.flag("try_cast");
  return members(node, scope, {"child"});
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
  return all(node.items("children"), scope);
}

Result<SqlTreeCheck::Item> SqlTreeCheck::subquery(SqlNode& node, Scope& scope) {
  node.text("subquery_type");
  node.text("comparison_type");
  SLUICE_TRY(const Relation relation, nested(node.value("subquery"), &scope));
  SLUICE_TRY(const Item child, optional(node.value("child"), scope));
  Item out{.cost = relation.cost, .growth = relation.growth.larger(child.growth)};
  out.cost += child.cost;
  out.cost += Cost{.tables = 1};
  return out;
}

}  // namespace sluice::expression
