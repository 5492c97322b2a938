#include "sql_doubles.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sql_binding.h"
#include "sql_member.h"

namespace sluice::expression {

namespace {

// The number that a constant holds as a double; null if it holds something else.
const json::Number* double_constant(const json::Value& node) {
  if (member_text(node, "class") != "CONSTANT") return nullptr;
  const json::Value* held = node.find("value");
  const json::Value* type = held == nullptr ? nullptr : held->find("type");
  const json::Value* value = held == nullptr ? nullptr : held->find("value");
  if (type == nullptr || value == nullptr || member_text(*type, "id") != "DOUBLE") return nullptr;
  return value->if_number();
}

// The text of an expression, which is the name of its column.
Result<std::string> name_of(const json::Value& item, const json::Value& select,
                            const std::function<Result<std::string>(const json::Value&)>& write) {
  json::Object alone = *select.if_object();
  alone.set("select_list", json::Array{item});
  for (const char* key : {"where_clause", "having", "qualify", "sample"}) alone.set(key, nullptr);
  for (const char* key : {"modifiers", "group_expressions", "group_sets"}) alone.set(key, json::Array());
  alone.set("cte_map", json::Object{{"map", json::Array()}});
  alone.set("from_table", json::Object{{"type", "EMPTY"}, {"alias", ""}, {"sample", nullptr}});
  const json::Object statement{{"node", std::move(alone)}, {"named_param_map", json::Array()}};
  SLUICE_TRY(const std::string sql,
             write(json::Object{{"error", false}, {"statements", json::Array{statement}}}));
  constexpr std::string_view kBegin = "SELECT ";
  return sql.starts_with(kBegin) ? sql.substr(kBegin.size()) : sql;
}

}  // namespace

// The recursions are bounded by the depth of the tree, which its reader bounds.
bool has_doubles(const json::Value& tree) {
  if (double_constant(tree) != nullptr) return true;
  if (const json::Array* array = tree.if_array())
    return std::any_of(array->begin(), array->end(), has_doubles);
  const json::Object* object = tree.if_object();
  return object != nullptr && std::any_of(object->begin(), object->end(), [](const json::Member& member) {
           return has_doubles(member.value);
         });
}

Result<json::Value> with_double_casts(const json::Value& tree,
                                      const std::function<Result<std::string>(const json::Value&)>& write) {
  if (const json::Number* number = double_constant(tree))
    return json::Value(typed_constant("DOUBLE", number->text, member_text(tree, "alias")));
  if (const json::Array* array = tree.if_array()) {
    json::Array out;
    for (const json::Value& item : *array) {
      SLUICE_TRY(out.emplace_back(), with_double_casts(item, write));
    }
    return json::Value(std::move(out));
  }
  const json::Object* object = tree.if_object();
  if (object == nullptr) return tree;
  json::Object out;
  for (const json::Member& member : *object) {
    SLUICE_TRY(json::Value value, with_double_casts(member.value, write));
    const json::Array* columns = member.key == "select_list" ? member.value.if_array() : nullptr;
    for (std::size_t i = 0; columns != nullptr && i < columns->size(); ++i) {
      const json::Value& column = (*columns)[i];
      if (!member_text(column, "alias").empty() || !has_doubles(column)) continue;
      SLUICE_TRY(std::string name, name_of(column, tree, write));
      json::Array renamed = *value.if_array();
      json::Object cast = *renamed[i].if_object();
      cast.set("alias", std::move(name));
      renamed[i] = std::move(cast);
      value = std::move(renamed);
    }
    out.append_unchecked(member.key, std::move(value));
  }
  return json::Value(std::move(out));
}

}  // namespace sluice::expression
