#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "sluice/json/value.h"

// Words that the schemas of arguments are written in.
namespace sluice::json::schema {

inline json::Object typed(std::string_view type) { return {{"type", type}}; }
inline json::Object described(json::Object schema, std::string_view description) {
  schema.set("description", description);
  return schema;
}
inline json::Object text(std::string_view description) { return described(typed("string"), description); }
inline json::Object count(std::int64_t minimum) { return {{"type", "integer"}, {"minimum", minimum}}; }
inline json::Object list_of(json::Object items) { return {{"type", "array"}, {"items", std::move(items)}}; }
inline json::Object names() { return list_of(typed("string")); }
inline json::Object flag() { return typed("boolean"); }
inline json::Object fraction() { return {{"type", "number"}, {"minimum", 0}, {"maximum", 1}}; }
inline json::Object one_of(std::initializer_list<std::string_view> values) {
  json::Array list;
  for (const std::string_view value : values) list.emplace_back(value);
  return {{"enum", std::move(list)}};
}

}  // namespace sluice::json::schema
