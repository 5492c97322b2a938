#include "sql_join_scope.h"

#include <algorithm>
#include <utility>

#include "sluice/base/text.h"

#include "sql_member.h"

namespace sluice::expression {

namespace {

using Names = std::optional<std::vector<std::string>>;

Names with_aliases(Names names, const json::Array& aliases) {
  for (std::size_t i = 0; names && i < aliases.size(); ++i) {
    const std::string* alias = aliases[i].if_string();
    if (alias == nullptr || i >= names->size()) return std::nullopt;
    (*names)[i] = to_lower_ascii(*alias);
  }
  return names;
}

bool is_bare_star(const json::Value& item) {
  if (member_text(item, "class") != "STAR" || !member_text(item, "relation_name").empty()) return false;
  const json::Value* columns = item.find("columns");
  const bool is_list = columns == nullptr || json::equal(*columns, false);
  return is_list && member_object(item, "expr") == nullptr && member_items(item, "exclude_list").empty() &&
         member_items(item, "qualified_exclude_list").empty() && member_items(item, "rename_list").empty();
}

// The columns of a query, as far as its text tells. An item without a name of its own has an empty one.
Names output_names(const json::Value& query, const ColumnsByTable& tables, const WithTables& with) {
  if (member_text(query, "type") != "SELECT_NODE") return std::nullopt;
  if (const json::Value* own = query.find("cte_map"); own != nullptr && !member_items(*own, "map").empty())
    return std::nullopt;
  std::vector<std::string> out;
  for (const json::Value& item : member_items(query, "select_list")) {
    const std::string_view alias = member_text(item, "alias");
    const json::Array& parts = member_items(item, "column_names");
    if (member_text(item, "class") == "STAR") {
      const json::Value* from = member_object(query, "from_table");
      if (!is_bare_star(item) || from == nullptr) return std::nullopt;
      const Names all = joined_table(*from, tables, with).columns;
      if (!all) return std::nullopt;
      out.insert(out.end(), all->begin(), all->end());
    } else if (!alias.empty()) {
      out.push_back(to_lower_ascii(alias));
    } else if (is_column_reference(item) && !parts.empty() && parts.back().is_string()) {
      out.push_back(to_lower_ascii(*parts.back().if_string()));
    } else {
      out.emplace_back();
    }
  }
  return out;
}

Names columns_of_query(const json::Value& statement, const ColumnsByTable& tables, const WithTables& with) {
  const json::Value* query = member_object(statement, "node");
  return query == nullptr ? std::nullopt : output_names(*query, tables, with);
}

Names columns_of_name(const std::string& name, const ColumnsByTable& tables, const WithTables& with,
                      bool& is_read) {
  for (std::size_t i = with.size(); i-- > 0;) {
    if (to_lower_ascii(member_text(*with[i], "key")) != to_lower_ascii(name)) continue;
    const json::Value* value = member_object(*with[i], "value");
    const json::Value* query = value == nullptr ? nullptr : member_object(*value, "query");
    if (query == nullptr) return std::nullopt;
    // It may read what stands before it, and nothing else.
    const WithTables before(with.begin(), with.begin() + static_cast<std::ptrdiff_t>(i));
    return with_aliases(columns_of_query(*query, tables, before), member_items(*value, "aliases"));
  }
  const auto found = tables.find(name);
  if (found == tables.end()) return std::nullopt;
  is_read = true;
  std::vector<std::string> out;
  for (const engine::Field& column : found->second) out.push_back(to_lower_ascii(column.name));
  return out;
}

}  // namespace

JoinedTable joined_table(const json::Value& reference, const ColumnsByTable& tables, const WithTables& with) {
  const std::string_view type = member_text(reference, "type");
  const std::string name(member_text(reference, "table_name"));
  const std::string_view alias = member_text(reference, "alias");
  JoinedTable out{.reference = &reference,
                  .visible = to_lower_ascii(alias.empty() ? std::string_view(name) : alias),
                  .name = {},
                  .columns = {}};
  if (type == "BASE_TABLE") {
    bool is_read = false;
    out.columns = columns_of_name(name, tables, with, is_read);
    if (is_read) out.name = name;
  } else if (const json::Value* query = member_object(reference, "subquery");
             type == "SUBQUERY" && query != nullptr) {
    out.columns = columns_of_query(*query, tables, with);
  }
  out.columns = with_aliases(std::move(out.columns), member_items(reference, "column_name_alias"));
  return out;
}

bool JoinScope::add(JoinedTable table) {
  if (!table.visible.empty() && find_table(table.visible)) return false;
  tables_.push_back(std::move(table));
  return true;
}

std::optional<std::size_t> JoinScope::find_table(std::string_view visible) const {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (tables_[i].visible == visible) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> JoinScope::find_column(std::string_view column, std::size_t begin,
                                                  std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    const Names& names = tables_[i].columns;
    if (!names) return std::nullopt;
    if (std::find(names->begin(), names->end(), column) != names->end()) return i;
  }
  return std::nullopt;
}

// The engine has bound the statement, so that a name means one table only, or one of columns that are merged.
std::optional<std::size_t> JoinScope::owner_of_column(const std::string& column) const {
  if (merged_.contains(column)) return find_column(column, 0, tables_.size());
  std::vector<std::size_t> known;
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    const Names& names = tables_[i].columns;
    if (!names) unknown.push_back(i);
    if (names && std::find(names->begin(), names->end(), column) != names->end()) known.push_back(i);
  }
  if (known.size() == 1) return known.front();
  if (known.empty() && unknown.size() == 1) return unknown.front();
  return std::nullopt;
}

std::optional<std::size_t> JoinScope::owner_of(const json::Value& reference) const {
  const json::Array& parts = member_items(reference, "column_names");
  if (parts.empty() || !parts.front().is_string()) return std::nullopt;
  const std::string first = to_lower_ascii(*parts.front().if_string());
  const std::optional<std::size_t> table = parts.size() > 1 ? find_table(first) : std::nullopt;
  const std::optional<std::size_t> column = owner_of_column(first);
  // `x.y` may be a column of the table x, or a member of a column x.
  if (table && column && tables_[*column].columns) return std::nullopt;
  return table ? table : column;
}

bool JoinScope::collect(const json::Value& value, std::set<std::size_t>& out) const {
  if (const json::Array* items = value.if_array(); items != nullptr)
    return std::all_of(items->begin(), items->end(),
                       [&](const json::Value& item) { return collect(item, out); });
  const json::Object* object = value.if_object();
  if (object == nullptr) return true;
  const std::string_view node_class = member_text(value, "class");
  if (node_class == "COLUMN_REF") {
    const std::optional<std::size_t> owner = owner_of(value);
    if (owner) out.insert(*owner);
    return owner.has_value();
  }
  if (node_class == "SUBQUERY" || node_class == "WINDOW" || node_class == "LAMBDA" ||
      node_class == "LAMBDA_REF" || node_class == "STAR" || node_class == "POSITIONAL_REFERENCE")
    return false;
  return std::all_of(object->begin(), object->end(),
                     [&](const json::Member& member) { return collect(member.value, out); });
}

std::optional<std::set<std::size_t>> JoinScope::tables_of(const json::Value& expression) const {
  std::set<std::size_t> out;
  if (!collect(expression, out)) return std::nullopt;
  return out;
}

}  // namespace sluice::expression
