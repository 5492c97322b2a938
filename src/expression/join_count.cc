#include "sluice/expression/join_count.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "sql_function.h"
#include "sql_join.h"
#include "sql_member.h"
#include "sql_parse.h"

namespace sluice::expression {

namespace {

// Whether an expression reads an item of `wanted` outside of its subqueries.
template <typename Wanted>
bool holds(const json::Value& value, const Wanted& wanted) {
  if (const json::Array* items = value.if_array(); items != nullptr)
    return std::any_of(items->begin(), items->end(),
                       [&](const json::Value& item) { return holds(item, wanted); });
  const json::Object* object = value.if_object();
  if (object == nullptr || member_text(value, "class") == "SUBQUERY") return false;
  if (wanted(value)) return true;
  return std::any_of(object->begin(), object->end(),
                     [&](const json::Member& member) { return holds(member.value, wanted); });
}

bool is_window(const json::Value& node) { return member_text(node, "class") == "WINDOW"; }

// Whether a call makes one row of several, or several of one.
bool changes_rows(const json::Value& node) {
  if (member_text(node, "class") != "FUNCTION") return false;
  const SqlFunction* function = find_function(to_lower_ascii(member_text(node, "function_name")));
  if (function == nullptr) return true;
  switch (function->kind) {
    case FunctionKind::kUnnest:
    case FunctionKind::kAggregate:
    case FunctionKind::kTopAggregate:
    case FunctionKind::kCollect:
    case FunctionKind::kHolistic:
      return true;
    default:
      return false;
  }
}

bool is_absent(const json::Value& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value == nullptr || value->is_null();
}

bool keeps_rows(const json::Value& select) {
  return member_items(select, "group_expressions").empty() && member_items(select, "group_sets").empty() &&
         member_text(select, "aggregate_handling") == "STANDARD_HANDLING" && is_absent(select, "having") &&
         is_absent(select, "qualify") && is_absent(select, "sample") &&
         !std::any_of(member_items(select, "select_list").begin(), member_items(select, "select_list").end(),
                      [](const json::Value& item) { return holds(item, changes_rows); });
}

// A whole number that is not negative. An absent bound has the value `otherwise`.
std::optional<std::uint64_t> constant_bound(const json::Value& modifier, std::string_view key,
                                            std::uint64_t otherwise) {
  if (is_absent(modifier, key)) return otherwise;
  const json::Value* held = modifier.find(key)->find("value");
  const json::Value* number = held == nullptr ? nullptr : held->find("value");
  if (number == nullptr || !number->is_number()) return std::nullopt;
  const std::optional<std::int64_t> value = number->if_number()->as_int64();
  return value && *value >= 0 ? std::optional<std::uint64_t>(*value) : std::nullopt;
}

// What the modifiers of the outermost SELECT make of its rows: order, limit and offset.
void read_outermost_modifiers(const json::Value& select, JoinCount& out) {
  bool is_ordered = false;
  out.is_answer = keeps_rows(select);
  for (const json::Value& modifier : member_items(select, "modifiers")) {
    const std::string_view type = member_text(modifier, "type");
    if (type == "ORDER_MODIFIER") {
      is_ordered = true;
      continue;
    }
    const std::optional<std::uint64_t> limit = constant_bound(modifier, "limit", UINT64_MAX);
    const std::optional<std::uint64_t> offset = constant_bound(modifier, "offset", 0);
    if (type != "LIMIT_MODIFIER" || !limit || !offset) {
      out.is_answer = false;
      continue;
    }
    if (*limit != UINT64_MAX) out.limit = *limit;
    out.offset = *offset;
  }
  const json::Array& list = member_items(select, "select_list");
  out.stops_at_limit =
      out.is_answer && out.limit && !is_ordered &&
      !std::any_of(list.begin(), list.end(), [](const json::Value& item) { return holds(item, is_window); });
}

json::Value conjunction(const std::vector<const json::Value*>& conditions) {
  if (conditions.empty()) return nullptr;
  if (conditions.size() == 1) return *conditions.front();
  json::Array children;
  for (const json::Value* one : conditions) children.push_back(*one);
  return json::Object{{"class", "CONJUNCTION"},
                      {"type", "CONJUNCTION_AND"},
                      {"alias", ""},
                      {"children", std::move(children)}};
}

// `value AS v3`.
json::Value named(const json::Value& value, std::size_t number) {
  json::Object out = *value.if_object();
  out.set("alias", fmt::format("v{}", number));
  return out;
}

json::Value one() {
  return json::Object{
      {"class", "CONSTANT"},
      {"type", "VALUE_CONSTANT"},
      {"alias", "v0"},
      {"value", json::Object{{"type", json::Object{{"id", "INTEGER"}, {"type_info", nullptr}}},
                             {"is_null", false},
                             {"value", 1}}}};
}

json::Value select_of(const JoinTree::Node& node, const JoinedTable& table,
                      const std::vector<const json::Value*>& values, const WithTables& with) {
  json::Array list;
  for (const json::Value* value : values) list.push_back(named(*value, list.size()));
  if (list.empty()) list.push_back(one());
  json::Array tables;
  for (const json::Value* entry : with) tables.push_back(*entry);
  json::Object select{{"type", "SELECT_NODE"},
                      {"modifiers", json::Array{}},
                      {"cte_map", json::Object{{"map", std::move(tables)}}},
                      {"select_list", std::move(list)},
                      {"from_table", *table.reference},
                      {"where_clause", conjunction(node.filters)},
                      {"group_expressions", json::Array{}},
                      {"group_sets", json::Array{}},
                      {"aggregate_handling", "STANDARD_HANDLING"},
                      {"having", nullptr},
                      {"sample", nullptr},
                      {"qualify", nullptr}};
  json::Array statements;
  statements.push_back(json::Object{{"node", std::move(select)}, {"named_param_map", json::Array{}}});
  return json::Object{{"error", false}, {"statements", std::move(statements)}};
}

JoinCount count_of(const JoinTree& tree, const WithTables& with) {
  JoinCount out{.tables = {}, .is_exact = tree.is_exact(), .limit = {}};
  std::vector<std::vector<const json::Value*>> values(tree.nodes().size());
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const JoinTree::Node& node = tree.nodes()[i];
    JoinCount::Table table{.name = tree.scope().tables()[node.table].name,
                           .select = {},
                           .parent = node.parent,
                           .keys = {},
                           .keeps_unmatched = node.keeps_unmatched,
                           .is_filtered = !node.filters.empty()};
    for (const JoinTree::Key& key : node.keys) {
      table.keys.push_back({.parent_value = values[node.parent].size(),
                            .value = values[i].size(),
                            .is_null_safe = key.is_null_safe});
      values[node.parent].push_back(key.parent);
      values[i].push_back(key.own);
    }
    out.tables.push_back(std::move(table));
  }
  for (std::size_t i = 0; i < out.tables.size(); ++i) {
    const JoinTree::Node& node = tree.nodes()[i];
    out.tables[i].select = select_of(node, tree.scope().tables()[node.table], values[i], with);
  }
  return out;
}

// Every SELECT with a join, with the WITH tables that it can read.
class Collector {
 public:
  Collector(const ColumnsByTable& tables, std::vector<JoinCount>& out) : tables_(tables), out_(out) {}

  // `is_root`: a query whose rows are those of the statement.
  void query(const json::Value& node, WithTables with, bool is_root) {
    if (const json::Value* own = member_object(node, "cte_map"); own != nullptr) {
      for (const json::Value& entry : member_items(*own, "map")) {
        walk(entry, with);
        if (is_known(with, entry)) return;  // It hides another of its name.
        with.push_back(&entry);
      }
    }
    if (member_text(node, "type") == "SELECT_NODE") count(node, with, is_root);
    for (const json::Member& member : *node.if_object()) {
      if (member.key != "cte_map") walk(member.value, with);
    }
  }

 private:
  static bool is_known(const WithTables& with, const json::Value& entry) {
    return std::any_of(with.begin(), with.end(), [&](const json::Value* known) {
      return equal_ignoring_case(member_text(*known, "key"), member_text(entry, "key"));
    });
  }

  void count(const json::Value& select, const WithTables& with, bool is_root) {
    const json::Value* from = member_object(select, "from_table");
    if (from == nullptr) return;
    const std::optional<JoinTree> tree =
        JoinTree::read(*from, member_object(select, "where_clause"), tables_, with);
    if (!tree) return;
    JoinCount found = count_of(*tree, with);
    if (is_root) read_outermost_modifiers(select, found);
    out_.push_back(std::move(found));
  }

  void walk(const json::Value& value, const WithTables& with) {
    if (const json::Array* items = value.if_array(); items != nullptr) {
      for (const json::Value& item : *items) walk(item, with);
      return;
    }
    const json::Object* object = value.if_object();
    if (object == nullptr) return;
    const std::string_view type = member_text(value, "type");
    if (type == "SELECT_NODE" || type == "SET_OPERATION_NODE") return query(value, with, false);
    for (const json::Member& member : *object) walk(member.value, with);
  }

  const ColumnsByTable& tables_;
  std::vector<JoinCount>& out_;
};

// Writes the tables of a count, each with the number of rows that it and those below it make for each of the
// values that it is joined by.
class CountWriter {
 public:
  CountWriter(const JoinCount& count, std::vector<std::string> selects, CountType type)
      : count_(count),
        selects_(std::move(selects)),
        type_(type == CountType::kInteger ? "HUGEINT" : "DOUBLE") {}

  std::string whole() const {
    return fmt::format("SELECT CAST(coalesce({}, 0) AS VARCHAR) FROM {}", total(0), joined(0));
  }

 private:
  // The rows that a group of a table makes with those of the tables below it.
  std::string total(std::size_t table) const {
    const bool is_leaf =
        std::none_of(count_.tables.begin() + static_cast<std::ptrdiff_t>(table) + 1, count_.tables.end(),
                     [&](const JoinCount::Table& other) { return other.parent == table; });
    return is_leaf ? fmt::format("CAST(count(*) AS {})", type_) : fmt::format("sum({})", product(table));
  }

  std::string product(std::size_t table) const {
    std::string out = fmt::format("CAST(1 AS {})", type_);
    for (std::size_t i = table + 1; i < count_.tables.size(); ++i) {
      if (count_.tables[i].parent != table) continue;
      out += count_.tables[i].keeps_unmatched ? fmt::format(" * coalesce(g{}.n, 1)", i)
                                              : fmt::format(" * g{}.n", i);
    }
    return out;
  }

  std::string joined(std::size_t table) const {
    std::string out = fmt::format("({}) AS t{}", selects_[table], table);
    for (std::size_t i = table + 1; i < count_.tables.size(); ++i) {
      const JoinCount::Table& child = count_.tables[i];
      if (child.parent != table) continue;
      std::string condition;
      for (std::size_t key = 0; key < child.keys.size(); ++key) {
        condition +=
            fmt::format("{}t{}.v{} {} g{}.k{}", key == 0 ? "" : " AND ", table, child.keys[key].parent_value,
                        child.keys[key].is_null_safe ? "IS NOT DISTINCT FROM" : "=", i, key);
      }
      out += fmt::format(" {} JOIN ({}) AS g{} ON {}", child.keeps_unmatched ? "LEFT" : "INNER", grouped(i),
                         i, condition.empty() ? "true" : condition);
    }
    return out;
  }

  std::string grouped(std::size_t table) const {
    std::string names;
    std::string values;
    const std::vector<JoinCount::Key>& keys = count_.tables[table].keys;
    for (std::size_t key = 0; key < keys.size(); ++key) {
      names += fmt::format("t{}.v{} AS k{}, ", table, keys[key].value, key);
      values += fmt::format("{}t{}.v{}", key == 0 ? " GROUP BY " : ", ", table, keys[key].value);
    }
    // Without keys an empty table gives no row, as with them.
    return fmt::format("SELECT {}{} AS n FROM {}{}", names, total(table), joined(table),
                       values.empty() ? " HAVING count(*) > 0" : values);
  }

  const JoinCount& count_;
  const std::vector<std::string> selects_;
  const std::string type_;
};

}  // namespace

std::vector<JoinCount> join_counts(const json::Value& tree, const ColumnsByTable& tables) {
  std::vector<JoinCount> out;
  for (const json::Value& statement : member_items(tree, "statements")) {
    const json::Value* node = member_object(statement, "node");
    if (node != nullptr) Collector(tables, out).query(*node, {}, true);
  }
  return out;
}

Result<std::string> count_sql(engine::Engine& engine, const JoinCount& count, CountType type,
                              const engine::RunLimits& limits) {
  std::vector<std::string> selects;
  for (const JoinCount::Table& table : count.tables) {
    SLUICE_TRY(std::string select, write_sql(engine, table.select, limits));
    selects.push_back(std::move(select));
  }
  return CountWriter(count, std::move(selects), type).whole();
}

}  // namespace sluice::expression
