#pragma once

#include <string_view>

#include "sluice/json/value.h"

namespace sluice::expression {

// Members of a node in the tree that the engine makes of a statement.

inline std::string_view member_text(const json::Value& node, std::string_view key) {  // "" if there is none.
  const json::Value* value = node.find(key);
  return value != nullptr && value->is_string() ? std::string_view(*value->if_string()) : std::string_view();
}

inline const json::Array& member_items(const json::Value& node, std::string_view key) {
  static const json::Array kNone;
  const json::Value* value = node.find(key);
  return value != nullptr && value->is_array() ? *value->if_array() : kNone;
}

// Null if it is absent or null.
inline const json::Value* member_object(const json::Value& node, std::string_view key) {
  const json::Value* value = node.find(key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

inline bool has_class(const json::Value& node, std::string_view name) {
  return member_text(node, "class") == name;
}

inline bool is_column_reference(const json::Value& node) { return has_class(node, "COLUMN_REF"); }

}  // namespace sluice::expression
