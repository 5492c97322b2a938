#include "sluice/expression/sql_equalities.h"

#include <optional>
#include <utility>

#include "sluice/json/value.h"

#include "sql_parse.h"

namespace sluice::expression {

namespace {

constexpr std::size_t kEqualitiesMax = 32;

std::string_view text_member(const json::Object& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value != nullptr && value->if_string() != nullptr ? std::string_view(*value->if_string())
                                                           : std::string_view();
}

std::optional<std::string> column_of(const json::Value* node) {
  const json::Object* object = node == nullptr ? nullptr : node->if_object();
  if (object == nullptr || text_member(*object, "class") != "COLUMN_REF") return std::nullopt;
  const json::Value* names = object->find("column_names");
  if (names == nullptr || names->if_array() == nullptr || names->if_array()->empty()) return std::nullopt;
  const std::string* last = names->if_array()->back().if_string();
  return last == nullptr ? std::nullopt : std::optional(*last);
}

std::optional<std::string> constant_of(const json::Value* node) {
  const json::Object* object = node == nullptr ? nullptr : node->if_object();
  if (object == nullptr || text_member(*object, "class") != "CONSTANT") return std::nullopt;
  const json::Value* value = object->find("value");
  const json::Object* typed = value == nullptr ? nullptr : value->if_object();
  const json::Value* text = typed == nullptr ? nullptr : typed->find("value");
  if (text == nullptr || text->if_string() == nullptr) return std::nullopt;
  return *text->if_string();
}

void add(std::vector<TextEquality>& out, const std::optional<std::string>& column,
         const std::optional<std::string>& value) {
  if (column && value && out.size() < kEqualitiesMax) out.push_back({.column = *column, .value = *value});
}

void collect(std::vector<TextEquality>& out, const json::Object& node) {
  if (text_member(node, "type") == "COMPARE_EQUAL") {
    const json::Value* left = node.find("left");
    const json::Value* right = node.find("right");
    add(out, column_of(left), constant_of(right));
    add(out, column_of(right), constant_of(left));
  } else if (text_member(node, "type") == "COMPARE_IN") {
    const json::Value* children = node.find("children");
    const json::Array* list = children == nullptr ? nullptr : children->if_array();
    for (std::size_t i = 1; list != nullptr && i < list->size(); ++i)
      add(out, column_of(&list->front()), constant_of(&(*list)[i]));
  }
}

// As deep as the checked statement is, which is bounded.
void walk(std::vector<TextEquality>& out, const json::Value& value) {
  if (const json::Object* object = value.if_object()) {
    collect(out, *object);
    for (const auto& [key, member] : *object) walk(out, member);
  } else if (const json::Array* list = value.if_array()) {
    for (const json::Value& element : *list) walk(out, element);
  }
}

const json::Object* object_member(const json::Object& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value == nullptr ? nullptr : value->if_object();
}

}  // namespace

std::vector<TextEquality> text_equalities(engine::Engine& engine, std::string_view sql,
                                          const engine::RunLimits& limits) {
  std::vector<TextEquality> out;
  if (const Result<json::Value> tree = parse_sql(engine, sql, limits); tree.ok()) walk(out, *tree);
  return out;
}

bool has_group_by(engine::Engine& engine, std::string_view sql, const engine::RunLimits& limits) {
  const Result<json::Value> tree = parse_sql(engine, sql, limits);
  const json::Value* statements = tree.ok() ? tree->find("statements") : nullptr;
  if (statements == nullptr || statements->if_array() == nullptr || statements->if_array()->size() != 1)
    return false;
  const json::Object* statement = statements->if_array()->front().if_object();
  const json::Object* select = statement == nullptr ? nullptr : object_member(*statement, "node");
  if (select == nullptr) return false;
  const json::Value* keys = select->find("group_expressions");
  const bool has_keys = keys != nullptr && keys->if_array() != nullptr && !keys->if_array()->empty();
  return has_keys || text_member(*select, "aggregate_handling") == "FORCE_AGGREGATES";  // GROUP BY ALL.
}

}  // namespace sluice::expression
