#include "sql_lineage.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/text.h"

#include "sql_from_clause.h"
#include "sql_function.h"
#include "sql_lineage_scope.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

constexpr std::size_t kLineageOriginsMax = 5'000;

std::vector<std::string> lower_names(const json::Array& list) {
  std::vector<std::string> out;
  for (const json::Value& one : list) {
    if (one.is_string()) out.push_back(to_lower_ascii(*one.if_string()));
  }
  return out;
}

bool is_aggregate_call(const json::Value& expression) {
  if (member_text(expression, "class") != "FUNCTION") return false;
  const SqlFunction* function = find_function(to_lower_ascii(member_text(expression, "function_name")));
  return function != nullptr && is_aggregate_kind(function->kind);
}

// `*` without EXCLUDE, REPLACE, RENAME and the like, which all are lists, and without COLUMNS.
bool is_plain_star(const json::Value& star) {
  const json::Value* columns = star.find("columns");
  if (columns != nullptr && columns->if_bool() != nullptr && *columns->if_bool()) return false;
  const json::Value* pattern = star.find("expr");
  if (pattern != nullptr && !pattern->is_null()) return false;
  return std::all_of(star.if_object()->begin(), star.if_object()->end(), [](const json::Member& member) {
    return member.value.if_array() == nullptr || member.value.if_array()->empty();
  });
}

// Follows the columns of one statement. Recursion is bounded by the depth of the tree.
class LineageReader {
 public:
  explicit LineageReader(const TablesByNode& tables) : tables_(tables) {}

  // Nullopt if a part of the statement is not followed.
  std::optional<LineageColumns> read(const json::Value& tree) {
    const json::Array& statements = member_items(tree, "statements");
    const json::Value* node = statements.empty() ? nullptr : statements.front().find("node");
    if (node == nullptr) return std::nullopt;
    LineageColumns out = query(*node, nullptr);
    return is_lost_ ? std::nullopt : std::optional(std::move(out));
  }

  const Origins& filters() const { return filters_; }

 private:
  LineageColumns query(const json::Value& node, const LineageScope* outer) {
    LineageScope scope{.outer = outer};
    static const json::Value kNone;
    const json::Value* with = node.find("cte_map");
    for (const json::Value& entry : member_items(with == nullptr ? kNone : *with, "map")) {
      const json::Value* value = entry.find("value");
      if (value == nullptr) continue;
      LineageColumns columns = nested(*value, "query", &scope);
      rename(columns, member_items(*value, "aliases"));
      scope.with.insert_or_assign(to_lower_ascii(member_text(entry, "key")), std::move(columns));
    }
    return member_text(node, "type") == "SELECT_NODE" ? select(node, scope) : set_operation(node, scope);
  }

  // The query in a statement that stands at `key`.
  LineageColumns nested(const json::Value& holder, std::string_view key, const LineageScope* outer) {
    const json::Value* statement = holder.find(key);
    const json::Value* node = statement == nullptr ? nullptr : statement->find("node");
    if (node == nullptr) return lost();
    return query(*node, outer);
  }

  LineageColumns lost() {
    is_lost_ = true;
    return {};
  }

  static void rename(LineageColumns& columns, const json::Array& names) {
    for (std::size_t i = 0; i < names.size() && i < columns.size(); ++i) {
      if (names[i].is_string()) columns[i].name = to_lower_ascii(*names[i].if_string());
    }
  }

  LineageColumns set_operation(const json::Value& node, LineageScope& scope) {
    const json::Value* left = node.find("left");
    const json::Value* right = node.find("right");
    const std::string_view type = member_text(node, "setop_type");
    if (left == nullptr || right == nullptr) return lost();
    LineageColumns out = query(*left, &scope);
    const LineageColumns other = query(*right, &scope);
    for (std::size_t i = 0; i < other.size(); ++i) {
      if (type == "EXCEPT" || type == "INTERSECT") {
        add_origins(other[i].origins, filters_);
        continue;
      }
      const auto same = type != "UNION_BY_NAME"
                            ? out.begin() + static_cast<std::ptrdiff_t>(std::min(i, out.size()))
                            : std::find_if(out.begin(), out.end(),
                                           [&](const auto& one) { return one.name == other[i].name; });
      if (same == out.end()) {
        out.push_back(other[i]);
      } else {
        add_origins(other[i].origins, same->origins);
      }
    }
    return out;
  }

  LineageColumns select(const json::Value& node, LineageScope& scope) {
    if (const json::Value* from = node.find("from_table")) table(*from, scope);
    LineageColumns out;
    for (const json::Value& item : member_items(node, "select_list")) {
      if (member_text(item, "class") == "STAR") {
        star(item, scope, out);
        continue;
      }
      LineageColumn column{.name = to_lower_ascii(member_text(item, "alias")), .origins = {}};
      column.origins = expression(item, scope);
      const bool is_column = member_text(item, "class") == "COLUMN_REF";
      if (!is_column) column.origins = at_least(std::move(column.origins), Derivation::kComputed);
      const std::vector<std::string> parts = lower_names(member_items(item, "column_names"));
      if (!column.name.empty()) scope.aliases.insert_or_assign(column.name, column.origins);
      if (column.name.empty() && is_column && !parts.empty()) column.name = parts.back();
      out.push_back(std::move(column));
    }
    for (const std::string_view clause : {"where_clause", "having", "qualify"}) {
      const json::Value* condition = node.find(clause);
      if (condition != nullptr) add_origins(expression(*condition, scope), filters_);
    }
    return out;
  }

  void star(const json::Value& item, const LineageScope& scope, LineageColumns& out) {
    const std::string relation = to_lower_ascii(member_text(item, "relation_name"));
    is_lost_ = is_lost_ || !is_plain_star(item);
    for (const LineageTable& one : scope.tables) {
      if (!relation.empty() && one.name != relation) continue;
      is_lost_ = is_lost_ || one.is_open;
      for (const LineageColumn& column : one.columns) {
        if (!relation.empty() || !one.hidden.contains(column.name)) out.push_back(column);
      }
    }
  }

  void table(const json::Value& node, LineageScope& scope) {
    const std::string_view type = member_text(node, "type");
    LineageTable out{.name = visible_name(node), .columns = {}, .hidden = {}};
    if (type == "JOIN") return join(node, scope);
    if (type == "EMPTY") return;
    if (type == "BASE_TABLE") {
      out.columns = columns_of(node, scope);
    } else if (type == "SUBQUERY") {
      out.columns = nested(node, "subquery", &scope);
    } else if (type == "TABLE_FUNCTION" || type == "EXPRESSION_LIST") {
      out.is_open = true;
      const json::Value* made = node.find(type == "TABLE_FUNCTION" ? "function" : "values");
      Origins origins = made == nullptr ? Origins() : expression(*made, scope);
      out.columns.push_back({.name = {}, .origins = at_least(std::move(origins), Derivation::kComputed)});
    } else {
      is_lost_ = true;
    }
    rename(out.columns, member_items(node, "column_name_alias"));
    scope.tables.push_back(std::move(out));
  }

  LineageColumns columns_of(const json::Value& node, const LineageScope& scope) {
    const auto found = tables_.find(node.if_object());
    if (found == tables_.end()) {
      const LineageColumns* with = scope.find_with(to_lower_ascii(member_text(node, "table_name")));
      return with == nullptr ? lost() : *with;
    }
    LineageColumns out;
    const Columns& columns = found->second->columns;
    for (std::size_t i = 0; i < columns.size(); ++i)
      out.push_back({.name = to_lower_ascii(columns[i].name),
                     .origins = {{{found->second->name, i}, Derivation::kCopy}}});
    return out;
  }

  void join(const json::Value& node, LineageScope& scope) {
    const json::Value* left = node.find("left");
    const json::Value* right = node.find("right");
    const std::string_view type = member_text(node, "join_type");
    if (left == nullptr || right == nullptr || member_text(node, "ref_type") == "NATURAL") {
      is_lost_ = true;
      return;
    }
    const std::size_t before = scope.tables.size();
    table(*left, scope);
    const std::size_t middle = scope.tables.size();
    table(*right, scope);
    for (const std::string& name : lower_names(member_items(node, "using_columns")))
      merge(name, scope, before, middle);
    if (const json::Value* condition = node.find("condition"))
      add_origins(expression(*condition, scope), filters_);
    // What stands right of them has no columns for the rest of the statement.
    if (type == "SEMI" || type == "ANTI")
      scope.tables.erase(scope.tables.begin() + static_cast<std::ptrdiff_t>(middle), scope.tables.end());
  }

  // The column of the left side stands for both.
  void merge(const std::string& name, LineageScope& scope, std::size_t before, std::size_t middle) {
    LineageColumn* first = nullptr;
    for (std::size_t i = before; i < scope.tables.size(); ++i) {
      LineageTable& one = scope.tables[i];
      is_lost_ = is_lost_ || one.is_open;
      for (LineageColumn& column : one.columns) {
        if (column.name != name || one.hidden.contains(name)) continue;
        add_origins(column.origins, filters_);
        if (i < middle && first == nullptr) {
          first = &column;
        } else if (i >= middle && first != nullptr) {
          add_origins(column.origins, first->origins);
          one.hidden.insert(name);
        }
      }
    }
  }

  Origins all(const json::Array& list, LineageScope& scope) {
    Origins out;
    for (const json::Value& item : list) add_origins(expression(item, scope), out);
    return out;
  }

  Origins expression(const json::Value& value, LineageScope& scope) {
    if (const json::Array* list = value.if_array()) return all(*list, scope);
    const json::Object* object = value.if_object();
    if (object == nullptr) return {};
    const std::string_view node_class = member_text(value, "class");
    if (node_class == "COLUMN_REF") return column(value, scope);
    if (node_class == "STAR" || node_class == "POSITIONAL_REFERENCE") {
      is_lost_ = true;
      return {};
    }
    Origins out;
    if (node_class == "LAMBDA") return lambda(value, scope);
    for (const json::Member& member : *object) {
      if (node_class == "SUBQUERY" && member.key == "subquery") {
        for (const LineageColumn& one : nested(value, "subquery", &scope)) add_origins(one.origins, out);
      } else {
        add_origins(expression(member.value, scope), out);
      }
    }
    if (node_class.empty()) return out;
    return at_least(std::move(out),
                    is_aggregate_call(value) ? Derivation::kAggregated : Derivation::kComputed);
  }

  Origins column(const json::Value& value, const LineageScope& scope) {
    const std::vector<std::string> parts = lower_names(member_items(value, "column_names"));
    std::optional<Origins> found = parts.empty() ? std::nullopt : scope.find(parts);
    if (!found) is_lost_ = true;
    return found ? *std::move(found) : Origins();
  }

  Origins lambda(const json::Value& value, LineageScope& scope) {
    LineageScope inner{.outer = &scope};
    const json::Value* parameters = value.find("lhs");
    const json::Value* body = value.find("expr");
    if (parameters == nullptr || body == nullptr) return {};
    const bool is_list = member_text(*parameters, "class") != "COLUMN_REF";
    for (const json::Value& one :
         is_list ? member_items(*parameters, "children") : json::Array{*parameters}) {
      for (std::string& name : lower_names(member_items(one, "column_names")))
        inner.parameters.insert(std::move(name));
    }
    // `document -> path` looks like a lambda as well: then what stands left is a value.
    const bool was_lost = is_lost_;
    Origins out = expression(*parameters, scope);
    is_lost_ = was_lost;
    add_origins(expression(*body, inner), out);
    return at_least(std::move(out), Derivation::kComputed);
  }

  const TablesByNode& tables_;
  Origins filters_;
  bool is_lost_ = false;
};

std::vector<Origin> listed(const Origins& origins) {
  std::vector<Origin> out;
  for (const auto& [column, how] : origins)
    out.push_back({.column = {.table = column.first, .column = column.second}, .how = how});
  return out;
}

}  // namespace

std::string_view to_string(Derivation how) {
  switch (how) {
    case Derivation::kCopy:
      return "copy";
    case Derivation::kComputed:
      return "computed";
    case Derivation::kAggregated:
      return "aggregated";
  }
  return "";
}

Lineage lineage_of(const json::Value& tree, const TablesByNode& tables, const ColumnsRead& read,
                   const Columns& outputs) {
  LineageReader reader(tables);
  const std::optional<LineageColumns> columns = reader.read(tree);
  Lineage out;
  for (const Origin& one : listed(reader.filters())) out.filters.push_back(one.column);
  Origins all;
  for (const auto& [table, places] : read) {
    for (const std::size_t place : places) all.emplace(std::pair(table, place), Derivation::kComputed);
  }
  const bool is_followed = columns && columns->size() == outputs.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Origins& origins = is_followed ? (*columns)[i].origins : all;
    count += origins.size() + 1;
    if (count > kLineageOriginsMax) return Lineage{};
    out.columns.push_back({.name = outputs[i].name, .origins = listed(origins)});
  }
  return out;
}

}  // namespace sluice::expression
