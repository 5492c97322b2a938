#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "sluice/json/value.h"

// The parts that the input schemas of tools are made of.
namespace sluice::records_provider::form {

inline json::Object typed(std::string_view type) { return {{"type", type}}; }
inline json::Object described(json::Object schema, std::string_view description) {
  schema.set("description", description);
  return schema;
}
inline json::Object text(std::string_view description) { return described(typed("string"), description); }
inline json::Object count(std::int64_t minimum) { return {{"type", "integer"}, {"minimum", minimum}}; }
inline json::Object list_of(json::Object items, std::int64_t items_max = 1'000) {
  return {{"type", "array"}, {"items", std::move(items)}, {"maxItems", items_max}};
}
inline json::Object names(std::string_view description) {
  return described(list_of(typed("string")), description);
}
inline json::Object one_of(std::initializer_list<std::string_view> values) {
  json::Array list;
  for (const std::string_view value : values) list.emplace_back(value);
  return {{"enum", std::move(list)}};
}
inline json::Object data_type() { return text("From list_data_types"); }
inline json::Object filters() {
  return described(
      typed("object"),
      "{column: value} is equality (null: missing), {column: [values]} any of them, {column: {operator: "
      "operand}} with $contains $starts_with $ends_with $regex (RE2) $fuzzy ({text, threshold}) $gt $gte "
      "$lt $lte $between ([low, high]) $in $nin $ne $not; for lists $has $has_any $has_all. All must hold; "
      "{$or: [filters]}, {$and: [filters]} and {$not: filter} combine. Text operators ignore case.");
}
inline json::Object sort_by() {
  return list_of(
      {{"type", "object"},
       {"properties",
        json::Object{{"column", typed("string")},
                     {"ascending", typed("boolean")},
                     {"na_position", one_of({"last", "first"})},
                     {"custom_order", described(list_of(json::Object()), "Values in the order wanted")}}},
       {"required", json::Array{"column"}}},
      100);
}

}  // namespace sluice::records_provider::form
