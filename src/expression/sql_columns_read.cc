#include "sql_columns_read.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "sluice/base/text.h"

#include "sql_from_clause.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

// What a statement says about columns, table by table or not.
struct Mentions {
  std::set<std::string> names;         // Anywhere, in lower case.
  std::set<std::string> wholes;        // Names that stand alone or before `.*`: they may be those of tables.
  std::set<const json::Value*> stars;  // SELECTs that have `*`.
  bool is_everything = false;          // Something stands for unknown columns.
};

void add_names(const json::Array& list, std::set<std::string>& out) {
  for (const json::Value& one : list) {
    if (one.is_string()) out.insert(to_lower_ascii(*one.if_string()));
  }
}

void read(const json::Value& value, const json::Value* select, Mentions& out) {
  if (const json::Array* list = value.if_array()) {
    for (const json::Value& item : *list) read(item, select, out);
    return;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return;
  const std::string_view node_class = member_text(value, "class");
  const std::string_view type = member_text(value, "type");
  if (type == "SELECT_NODE") select = &value;
  if (node_class == "COLUMN_REF") {
    const json::Array& parts = member_items(value, "column_names");
    add_names(parts, out.names);
    if (parts.size() == 1) add_names(parts, out.wholes);
  }
  if (node_class == "POSITIONAL_REFERENCE" || type == "PIVOT" || member_text(value, "ref_type") == "NATURAL")
    out.is_everything = true;
  if (node_class == "STAR") {
    const std::string_view relation = member_text(value, "relation_name");
    if (relation.empty()) out.stars.insert(select);
    out.wholes.insert(to_lower_ascii(relation));
    out.names.insert(to_lower_ascii(relation));
  }
  add_names(member_items(value, "using_columns"), out.names);
  for (const json::Member& member : *object) read(member.value, select, out);
}

std::vector<std::size_t> mentioned_columns(const Columns& columns, const Mentions& mentions, bool has_all) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (has_all || mentions.names.contains(to_lower_ascii(columns[i].name))) out.push_back(i);
  }
  return out;
}

}  // namespace

ColumnsRead columns_read(const json::Value& tree, const TablesByNode& tables) {
  Mentions mentions;
  read(tree, nullptr, mentions);
  std::map<const json::Object*, bool> has_all;
  for (const auto& [node, table] : tables) has_all.emplace(node, true);
  for (const FromClause& from : from_clauses(tree)) {
    for (const FromTable& table : from.tables) {
      const std::string visible = visible_name(*table.node);
      // The name of a table is also a value: all of its columns.
      has_all[table.node->if_object()] = mentions.is_everything || table.has_renamed_columns() ||
                                         mentions.wholes.contains(visible) ||
                                         mentions.stars.contains(from.select);
    }
  }
  ColumnsRead out;
  for (const auto& [node, table] : tables) {
    std::vector<std::size_t>& known = out[table->name];
    std::vector<std::size_t> both;
    const std::vector<std::size_t> more = mentioned_columns(table->columns, mentions, has_all[node]);
    std::set_union(known.begin(), known.end(), more.begin(), more.end(), std::back_inserter(both));
    known = std::move(both);
  }
  return out;
}

}  // namespace sluice::expression
