#include "sql_key_links.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/text.h"
#include "sluice/engine/sql.h"

#include "sql_from_clause.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

// A column where the statement names its table.
struct NamedColumn {
  const json::Value* node = nullptr;  // Of the table.
  const SqlTables::Table* table = nullptr;
  std::size_t column = 0;

  const engine::Type& type() const { return table->columns[column].type; }
};

std::optional<std::size_t> position(const Columns& columns, std::string_view name) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (equal_ignoring_case(columns[i].name, name)) return i;
  }
  return std::nullopt;
}

// Equal values of the two have one form, and the engine compares them without a conversion that could fail.
bool can_be_keys(const engine::Type& a, const engine::Type& b) {
  using engine::TypeId;
  if (a.id != b.id) {
    const auto has_wider_type = [](TypeId id) { return engine::is_integer(id) && id != TypeId::kUInt128; };
    return has_wider_type(a.id) && has_wider_type(b.id);
  }
  if (a.id == TypeId::kDecimal) return engine::sql_name(a) == engine::sql_name(b);
  return engine::is_integer(a.id) || a.id == TypeId::kText || a.id == TypeId::kDate || a.id == TypeId::kUuid;
}

// What the names in one FROM clause mean. A name of a table around it, or of one that is not of the server,
// means nothing here.
class FromNames {
 public:
  FromNames(const FromClause& from, const TablesByNode& tables) : from_(from), tables_(tables) {}

  std::optional<NamedColumn> find(const json::Value& expression) const {
    if (member_text(expression, "class") != "COLUMN_REF") return std::nullopt;
    const json::Array& parts = member_items(expression, "column_names");
    if (parts.empty() || parts.size() > 2) return std::nullopt;
    const std::string* first = parts.front().if_string();
    const std::string* last = parts.back().if_string();
    if (first == nullptr || last == nullptr) return std::nullopt;
    return parts.size() == 1 ? unqualified(*last) : qualified(to_lower_ascii(*first), *last);
  }

  // The column that USING means below one side of a join.
  std::optional<NamedColumn> find_below(const json::Value& side, std::string_view name) const {
    std::vector<NamedColumn> found;
    bool is_kept = true;  // No join below gives NULL in place of the first one.
    if (!collect(side, name, found, is_kept) || found.empty()) return std::nullopt;
    // Of several, the first is the one that the others are merged with.
    if (found.size() > 1 && !is_kept) return std::nullopt;
    return found.front();
  }

 private:
  std::optional<NamedColumn> column_of(const json::Value& node, std::string_view name) const {
    const auto table = tables_.find(node.if_object());
    if (table == tables_.end() || !member_items(node, "column_name_alias").empty()) return std::nullopt;
    const std::optional<std::size_t> column = position(table->second->columns, name);
    if (!column) return std::nullopt;
    return NamedColumn{.node = &node, .table = table->second, .column = *column};
  }

  std::optional<NamedColumn> qualified(const std::string& visible, std::string_view name) const {
    for (const FromTable& table : from_.tables) {
      if (visible_name(*table.node) == visible && from_.has_own_name(*table.node))
        return column_of(*table.node, name);
    }
    return std::nullopt;
  }

  // The engine has bound the statement: if a table has the column, nothing else in the clause does, unless
  // they are merged.
  std::optional<NamedColumn> unqualified(const std::string& name) const {
    if (from_.has_natural || from_.merged.contains(to_lower_ascii(name))) return std::nullopt;
    std::optional<NamedColumn> found;
    for (const FromTable& table : from_.tables) {
      const std::optional<NamedColumn> column = column_of(*table.node, name);
      if (column && found) return std::nullopt;
      if (column) found = column;
    }
    return found;
  }

  // False if something below may have the column and is not known.
  bool collect(const json::Value& side, std::string_view name, std::vector<NamedColumn>& found,
               bool& is_kept) const {
    if (member_text(side, "type") == "JOIN") {
      const std::string_view type = member_text(side, "join_type");
      is_kept = is_kept && (type == "INNER" || type == "LEFT");
      const json::Value* left = side.find("left");
      const json::Value* right = side.find("right");
      return left != nullptr && right != nullptr && collect(*left, name, found, is_kept) &&
             collect(*right, name, found, is_kept);
    }
    if (!tables_.contains(side.if_object()) || !member_items(side, "column_name_alias").empty()) return false;
    if (const std::optional<NamedColumn> column = column_of(side, name)) found.push_back(*column);
    return true;
  }

  const FromClause& from_;
  const TablesByNode& tables_;
};

// Whether a SELECT gives the rows of its one table as they are, each at most once.
bool is_plain_select(const json::Value& select) {
  const json::Value* from = select.find("from_table");
  if (from == nullptr || member_text(*from, "type") != "BASE_TABLE") return false;
  for (const std::string_view clause : {"having", "qualify", "sample"}) {
    const json::Value* value = select.find(clause);
    if (value != nullptr && !value->is_null()) return false;
  }
  if (!member_items(select, "group_expressions").empty() || !member_items(select, "group_sets").empty())
    return false;
  const json::Array& modifiers = member_items(select, "modifiers");
  return std::all_of(modifiers.begin(), modifiers.end(), [](const json::Value& one) {
    return member_text(one, "type") == "ORDER_MODIFIER" || (member_text(one, "type") == "DISTINCT_MODIFIER" &&
                                                            member_items(one, "distinct_on_targets").empty());
  });
}

class LinkFinder {
 public:
  LinkFinder(const json::Value& tree, const TablesByNode& tables)
      : tables_(tables), clauses_(from_clauses(tree)) {}

  std::vector<KeyLink> find() {
    for (const FromClause& from : clauses_) {
      const FromNames names(from, tables_);
      for (const FromTable& table : from.tables) {
        for (const AppliedCondition& one : table.conditions) {
          if (one.condition != nullptr) read(*one.condition, *table.node, names);
          if (one.using_of != nullptr) read_using(*one.using_of, *table.node, names);
        }
      }
    }
    add_indirect();
    return std::move(links_);
  }

 private:
  // If a is among the values of b, and b among those of c, then a is among those of c.
  void add_indirect() {
    constexpr std::size_t kLinksMax = 256;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      for (std::size_t k = 0; k < links_.size() && links_.size() < kLinksMax; ++k) {
        if (links_[i].keys != links_[k].restricted || links_[i].restricted.table == links_[k].keys.table)
          continue;
        add({.restricted = links_[i].restricted, .keys = links_[k].keys});
      }
    }
  }

  void read(const json::Value& condition, const json::Value& table, const FromNames& names) {
    const std::string_view type = member_text(condition, "type");
    if (type == "CONJUNCTION_AND") {
      for (const json::Value& child : member_items(condition, "children")) read(child, table, names);
    } else if (type == "COMPARE_EQUAL") {
      const json::Value* left = condition.find("left");
      const json::Value* right = condition.find("right");
      if (left != nullptr && right != nullptr) add_both(names.find(*left), names.find(*right), table);
    } else if (member_text(condition, "class") == "SUBQUERY") {
      read_subquery(condition, table, names);
    }
  }

  void read_using(const json::Value& join, const json::Value& table, const FromNames& names) {
    const json::Value* left = join.find("left");
    const json::Value* right = join.find("right");
    for (const json::Value& column : member_items(join, "using_columns")) {
      const std::string* name = column.if_string();
      if (name != nullptr && left != nullptr && right != nullptr)
        add_both(names.find_below(*left, *name), names.find_below(*right, *name), table);
    }
  }

  // column IN (SELECT column FROM …)
  void read_subquery(const json::Value& condition, const json::Value& table, const FromNames& names) {
    if (member_text(condition, "subquery_type") != "ANY" ||
        member_text(condition, "comparison_type") != "COMPARE_EQUAL")
      return;
    const json::Value* child = condition.find("child");
    const json::Value* subquery = condition.find("subquery");
    const json::Value* select = subquery == nullptr ? nullptr : subquery->find("node");
    if (child == nullptr || select == nullptr || member_text(*select, "type") != "SELECT_NODE") return;
    const json::Array& list = member_items(*select, "select_list");
    const auto inner =
        std::find_if(clauses_.begin(), clauses_.end(), [&](const auto& one) { return one.select == select; });
    if (list.size() != 1 || inner == clauses_.end()) return;
    const std::optional<NamedColumn> outer = names.find(*child);
    const std::optional<NamedColumn> value = FromNames(*inner, tables_).find(list.front());
    if (!outer || !value || outer->node != &table) return;
    add(*outer, *value);
    if (is_plain_select(*select)) add(*value, *outer);
  }

  void add_both(const std::optional<NamedColumn>& left, const std::optional<NamedColumn>& right,
                const json::Value& table) {
    if (!left || !right || left->node == right->node) return;
    if (left->node == &table) add(*left, *right);
    if (right->node == &table) add(*right, *left);
  }

  void add(const NamedColumn& restricted, const NamedColumn& keys) {
    if (!can_be_keys(restricted.type(), keys.type()) || restricted.table == keys.table) return;
    const auto readings = std::count_if(tables_.begin(), tables_.end(),
                                        [&](const auto& one) { return one.second == restricted.table; });
    if (readings != 1) return;  // Another reading may need rows that this one does not.
    add({.restricted = {.table = restricted.table->name, .column = restricted.column},
         .keys = {.table = keys.table->name, .column = keys.column}});
  }

  void add(KeyLink link) {
    if (std::find(links_.begin(), links_.end(), link) == links_.end()) links_.push_back(std::move(link));
  }

  const TablesByNode& tables_;
  const std::vector<FromClause> clauses_;
  std::vector<KeyLink> links_;
};

}  // namespace

std::vector<KeyLink> key_links(const json::Value& tree, const TablesByNode& tables) {
  return LinkFinder(tree, tables).find();
}

}  // namespace sluice::expression
