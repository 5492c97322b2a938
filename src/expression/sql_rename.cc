#include "sql_rename.h"

#include <utility>

namespace sluice::expression {

namespace {

json::Object renamed_table(const json::Object& node, const SqlTables::Table& table) {
  json::Object out = node;
  const json::Value* alias = node.find("alias");
  const bool has_alias = alias != nullptr && alias->is_string() && !alias->if_string()->empty();
  if (!has_alias) out.set("alias", *node.find("table_name"));
  out.set("catalog_name", "");
  out.set("schema_name", "");
  out.set("table_name", table.name);
  out.set("at_clause", json::Value());  // The table is the one of that version.
  return out;
}

}  // namespace

json::Value with_table_names(const json::Value& tree, const SqlFacts& facts) {
  if (const json::Array* array = tree.if_array(); array != nullptr) {
    json::Array out;
    for (const json::Value& item : *array) out.push_back(with_table_names(item, facts));
    return out;
  }
  const json::Object* object = tree.if_object();
  if (object == nullptr) return tree;
  const auto found = facts.tables.find(object);
  if (found != facts.tables.end() && !json::equal(*object->find("table_name"), found->second->name))
    return renamed_table(*object, *found->second);
  json::Object out;
  for (const json::Member& member : *object)
    out.append_unchecked(member.key, with_table_names(member.value, facts));
  return out;
}

}  // namespace sluice::expression
