#include "sql_from.h"

#include <algorithm>
#include <utility>

#include "sluice/base/text.h"

#include "plan_node.h"
#include "sql_condition.h"

namespace sluice::expression {

namespace {

using plan::Condition;
using plan::NodePtr;

bool is_text(const json::Value& node, std::string_view key, std::string_view text) {
  const json::Value* value = node.find(key);
  return value != nullptr && json::equal(*value, text);
}

// The parts of a condition all of which must hold. As deep as the tree, which its reader bounds.
void add_parts(const json::Value& condition, std::vector<const json::Value*>& out) {
  const json::Value* children = condition.find("children");
  if (!is_text(condition, "type", "CONJUNCTION_AND") || children == nullptr || !children->is_array()) {
    out.push_back(&condition);
    return;
  }
  for (const json::Value& child : *children->if_array()) add_parts(child, out);
}

std::vector<const json::Value*> parts_of(const json::Value* condition) {
  std::vector<const json::Value*> out;
  if (condition != nullptr) add_parts(*condition, out);
  return out;
}

// Counts columns of a table from its first one, as its own table does. False if one belongs to another table.
bool move_to_table(Condition& condition, std::size_t first) {
  for (Condition& part : condition.parts) {
    if (!move_to_table(part, first)) return false;
  }
  const bool has_column = condition.parts.empty() && !plan::columns_of(condition).empty();
  if (!has_column) return true;
  if (condition.column < first) return false;
  condition.column -= first;
  return true;
}

}  // namespace

std::optional<SqlFrom> SqlFrom::bind(const json::Value* from, const SqlFacts& facts) {
  SqlFrom out;
  if (!out.add(from, facts)) return std::nullopt;
  return out;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree, which its reader bounds.
bool SqlFrom::add(const json::Value* from, const SqlFacts& facts) {
  Result<SqlNode> node = SqlNode::of(from);
  if (!node.ok()) return false;
  const std::string_view type = node->text("type");
  const bool is_added =
      type == "BASE_TABLE" ? add_table(*node, facts) : type == "JOIN" && add_join(*node, facts);
  return is_added && node->finish().ok();  // Names for columns, or a sample, are left over.
}

bool SqlFrom::add_table(SqlNode& node, const SqlFacts& facts) {
  const auto found = facts.tables.find(&node.object());
  if (found == facts.tables.end()) return false;
  const std::string_view alias = node.text("alias");
  const std::string_view name = node.text("table_name");
  for (const std::string_view known : {"schema_name", "catalog_name"}) node.text(known);
  node.value("at_clause");  // The table found is the one of that version.
  Joined table{.table = found->second, .visible = std::string(alias.empty() ? name : alias)};
  if (std::any_of(tables_.begin(), tables_.end(),
                  [&](const Joined& other) { return equal_ignoring_case(other.visible, table.visible); }))
    return false;
  table.first = columns_.size();
  columns_.insert(columns_.end(), table.table->columns.begin(), table.table->columns.end());
  tables_.push_back(std::move(table));
  return true;
}

// NOLINTNEXTLINE(misc-no-recursion): see add().
bool SqlFrom::add_join(SqlNode& node, const SqlFacts& facts) {
  const std::string_view type = node.text("join_type");
  const std::string_view kind = node.text("ref_type");
  node.flag("delim_flipped");
  if ((type != "INNER" && type != "LEFT") || (kind != "REGULAR" && kind != "CROSS")) return false;
  const json::Value* right = node.value("right");
  // Joins within brackets, or behind a comma, have no place in a plan.
  if (right == nullptr || !is_text(*right, "type", "BASE_TABLE")) return false;
  if (!add(node.value("left"), facts) || !add(right, facts)) return false;
  tables_.back().kind = type == "INNER" ? plan::JoinKind::kInner : plan::JoinKind::kLeft;
  const std::vector<const json::Value*> on = parts_of(node.value("condition"));
  return add_using(node.items("using_columns")) &&
         std::all_of(on.begin(), on.end(), [this](const json::Value* part) { return add_condition(*part); });
}

bool SqlFrom::add_using(const json::Array& names) {
  const std::size_t last = tables_.size() - 1;
  for (const json::Value& value : names) {
    const std::string* name = value.if_string();
    const std::optional<std::size_t> right = name == nullptr ? std::nullopt : named_in(last, *name);
    if (!right) return false;
    // Without the last table, which has a column of this name, too.
    const std::string key = to_lower_ascii(*name);
    std::set<std::size_t>& tables = merged_[key];
    std::set<std::size_t> having;
    for (std::size_t i = 0; i < last; ++i) {
      if (named_in(i, *name)) having.insert(i);
    }
    if (having.empty() || (having.size() > 1 && having != tables)) return false;
    tables = std::move(having);
    if (!add_key(*named_in(*tables.begin(), *name), *right)) return false;
    tables.insert(last);
  }
  return true;
}

bool SqlFrom::add_condition(const json::Value& on) {
  Joined& last = tables_.back();
  if (const std::optional<plan::JoinKey> columns = equality(on))
    return table_of(columns->right) + 1 == tables_.size() && add_key(columns->left, columns->right);
  std::optional<Condition> condition = bind_condition(on, *this);
  if (!condition) return false;
  if (last.kind == plan::JoinKind::kInner) {
    conditions_.push_back(*std::move(condition));
    return true;
  }
  // A condition on the left side alone decides which of its rows have a partner, not which of them are kept.
  if (!move_to_table(*condition, last.first)) return false;
  last.filter.push_back(*std::move(condition));
  return true;
}

bool SqlFrom::add_key(std::size_t left, std::size_t right) {
  Joined& table = tables_[table_of(right)];
  if (engine::sql_name(columns_[left].type) != engine::sql_name(columns_[right].type)) return false;
  table.keys.push_back({.left = left, .right = right - table.first});
  return true;
}

std::optional<plan::JoinKey> SqlFrom::equality(const json::Value& expression) const {
  const json::Value* left = expression.find("left");
  const json::Value* right = expression.find("right");
  if (!is_text(expression, "type", "COMPARE_EQUAL") || left == nullptr || right == nullptr)
    return std::nullopt;
  const std::optional<std::size_t> one = find(*left);
  const std::optional<std::size_t> other = find(*right);
  if (!one || !other || table_of(*one) == table_of(*other)) return std::nullopt;
  return plan::JoinKey{.left = std::min(*one, *other), .right = std::max(*one, *other)};
}

NodePtr SqlFrom::rows(const json::Value* where, std::vector<const json::Value*>& others) {
  for (const json::Value* part : parts_of(where)) {
    if (const std::optional<plan::JoinKey> columns = equality(*part)) {
      // A row of a LEFT JOIN without a partner does not meet it.
      const bool is_inner = tables_[table_of(columns->right)].kind == plan::JoinKind::kInner;
      if (!is_inner || !add_key(columns->left, columns->right)) return nullptr;
    } else if (std::optional<Condition> condition = bind_condition(*part, *this)) {
      conditions_.push_back(*std::move(condition));
    } else {
      others.push_back(part);
    }
  }
  NodePtr out;
  for (Joined& table : tables_) {
    NodePtr rows = plan::scan(table.table->name, table.table->columns);
    rows = node_or_null(plan::filter(std::move(rows), plan::all_of(std::move(table.filter))));
    if (!rows || (out && table.keys.empty())) return nullptr;
    out = out ? node_or_null(plan::join(table.kind, std::move(out), std::move(rows), std::move(table.keys)))
              : std::move(rows);
    if (!out) return nullptr;
  }
  return node_or_null(plan::filter(std::move(out), plan::all_of(std::move(conditions_))));
}

std::size_t SqlFrom::table_of(std::size_t column) const {
  std::size_t table = 0;
  while (table + 1 < tables_.size() && tables_[table + 1].first <= column) ++table;
  return table;
}

std::optional<std::size_t> SqlFrom::table_named(std::string_view name) const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (equal_ignoring_case(tables_[i].visible, name)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> SqlFrom::named_in(std::size_t table, std::string_view name) const {
  std::optional<std::size_t> out;
  const Columns& columns = tables_[table].table->columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!equal_ignoring_case(columns[i].name, name)) continue;
    if (out) return std::nullopt;
    out = tables_[table].first + i;
  }
  return out;
}

std::optional<std::size_t> SqlFrom::named(std::string_view name) const {
  std::set<std::size_t> tables;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (std::any_of(tables_[i].table->columns.begin(), tables_[i].table->columns.end(),
                    [&](const engine::Field& column) { return equal_ignoring_case(column.name, name); }))
      tables.insert(i);
  }
  if (tables.empty()) return std::nullopt;
  if (tables.size() > 1) {
    // The column of a USING is that of the left side.
    const auto merged = merged_.find(to_lower_ascii(name));
    if (merged == merged_.end() || merged->second != tables) return std::nullopt;
  }
  return named_in(*tables.begin(), name);
}

std::optional<std::size_t> SqlFrom::find(const json::Value& expression) const {
  const json::Value* names = expression.find("column_names");
  if (!is_text(expression, "class", "COLUMN_REF") || names == nullptr || !names->is_array())
    return std::nullopt;
  const json::Array& parts = *names->if_array();
  if (parts.empty() || parts.size() > 2 || !parts.front().is_string() || !parts.back().is_string())
    return std::nullopt;
  if (parts.size() == 1) return named(*parts.front().if_string());
  // Behind the name of a column stands a member of its values.
  const std::string& name = *parts.front().if_string();
  const std::optional<std::size_t> table = table_named(name);
  const bool is_column = std::any_of(columns_.begin(), columns_.end(), [&](const engine::Field& column) {
    return equal_ignoring_case(column.name, name);
  });
  return table && !is_column ? named_in(*table, *parts.back().if_string()) : std::nullopt;
}

std::optional<std::vector<std::size_t>> SqlFrom::star(std::string_view table) const {
  const std::optional<std::size_t> only = table.empty() ? std::nullopt : table_named(table);
  if (!table.empty() && !only) return std::nullopt;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t of = table_of(i);
    if (only && of != *only) continue;
    const auto merged = merged_.find(to_lower_ascii(columns_[i].name));
    const bool is_repeated =
        merged != merged_.end() && merged->second.contains(of) && of != *merged->second.begin();
    if (only || !is_repeated) out.push_back(i);
  }
  return out;
}

}  // namespace sluice::expression
