#include "sql_binding.h"

#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "sql_node.h"

namespace sluice::expression {

namespace {

json::Object type_of(std::string_view id) { return {{"id", id}, {"type_info", nullptr}}; }

json::Object constant(json::Object value) {
  return {{"class", "CONSTANT"}, {"type", "VALUE_CONSTANT"}, {"alias", ""}, {"value", std::move(value)}};
}

json::Object text_constant(const std::string& text) {
  return constant({{"type", type_of("VARCHAR")}, {"is_null", false}, {"value", text}});
}

json::Object cast_to(std::string_view type, json::Object child) {
  return {{"class", "CAST"},           {"type", "OPERATOR_CAST"},    {"alias", ""},
          {"child", std::move(child)}, {"cast_type", type_of(type)}, {"try_cast", false}};
}

std::string_view sql_type(SqlType type) {
  switch (type) {
    case SqlType::kText:
      return "VARCHAR";
    case SqlType::kInteger:
      return "BIGINT";
    case SqlType::kNumber:
      return "DOUBLE";
    case SqlType::kBoolean:
      return "BOOLEAN";
    case SqlType::kDate:
      return "DATE";
  }
  return "VARCHAR";
}

// A number as the parser reads it, which LIMIT needs. Nullopt for a large one, which has another type there,
// and for a negative one: `-7 ^ 2` is not what `$n ^ 2` means.
std::optional<std::int32_t> small_integer(const std::string& text) {
  std::int32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
  return is_whole && number >= 0 ? std::optional(number) : std::nullopt;
}

json::Object node_of(const SqlParameter& parameter) {
  if (!parameter.value)
    return cast_to(sql_type(parameter.type), constant({{"type", type_of("NULL")}, {"is_null", true}}));
  if (parameter.type == SqlType::kText) return text_constant(*parameter.value);
  if (parameter.type == SqlType::kInteger) {
    if (const std::optional<std::int32_t> number = small_integer(*parameter.value))
      return constant({{"type", type_of("INTEGER")}, {"is_null", false}, {"value", *number}});
  }
  return cast_to(sql_type(parameter.type), text_constant(*parameter.value));
}

bool is_placeholder(const json::Object& node) {
  const json::Value* node_class = node.find("class");
  return node_class != nullptr && json::equal(*node_class, "PARAMETER");
}

}  // namespace

json::Object typed_constant(std::string_view sql_type, const std::string& text, std::string_view alias) {
  json::Object out = cast_to(sql_type, text_constant(text));
  out.set("alias", alias);
  return out;
}

// The recursion is bounded by the depth of the tree, which its reader bounds.
Result<json::Value> with_values(const json::Value& tree, const SqlParameters& parameters) {
  if (const json::Array* array = tree.if_array(); array != nullptr) {
    json::Array out;
    for (const json::Value& item : *array) {
      SLUICE_TRY(out.emplace_back(), with_values(item, parameters));
    }
    return json::Value(std::move(out));
  }
  const json::Object* object = tree.if_object();
  if (object == nullptr) return tree;
  if (is_placeholder(*object)) {
    const json::Value* name = object->find("identifier");
    const auto found =
        name != nullptr && name->is_string() ? parameters.find(*name->if_string()) : parameters.end();
    if (found == parameters.end()) return refused("a placeholder that is no parameter");
    json::Object node = node_of(found->second);
    if (const json::Value* alias = object->find("alias"); alias != nullptr) node.set("alias", *alias);
    return json::Value(std::move(node));
  }
  json::Object out;
  for (const json::Member& member : *object) {
    // The list of placeholders: none is left.
    if (member.key == "named_param_map") {
      out.append_unchecked(member.key, json::Array());
      continue;
    }
    SLUICE_TRY(json::Value value, with_values(member.value, parameters));
    out.append_unchecked(member.key, std::move(value));
  }
  return json::Value(std::move(out));
}

}  // namespace sluice::expression
