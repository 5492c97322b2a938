#include "sql_place.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "sql_member.h"

namespace sluice::expression {

namespace {

// The place of the first node for which `is_meant` holds. As deep as the tree, which its reader bounds.
template <typename IsMeant>
SqlPlace find(const json::Value& value, const IsMeant& is_meant) {
  if (const json::Array* array = value.if_array()) {
    for (const json::Value& item : *array) {
      if (const SqlPlace found = find(item, is_meant)) return found;
    }
    return std::nullopt;
  }
  const json::Object* object = value.if_object();
  if (object == nullptr) return std::nullopt;
  if (is_meant(value)) return place_in_text(value);
  for (const json::Member& member : *object) {
    if (const SqlPlace found = find(member.value, is_meant)) return found;
  }
  return std::nullopt;
}

}  // namespace

SqlPlace place_in_text(const json::Value& node) {
  const json::Value* location = node.find("query_location");
  const json::Number* number = location == nullptr ? nullptr : location->if_number();
  const std::optional<std::int64_t> at = number == nullptr ? std::nullopt : number->as_int64();
  if (!at || *at < 0) return std::nullopt;  // What the engine does not know is too large for 63 bits.
  return static_cast<std::uint64_t>(*at);
}

SqlPlace place_of_parser_error(const json::Value& tree) {
  const std::string_view position = member_text(tree, "position");
  std::uint64_t out = 0;
  const auto end = std::from_chars(position.data(), position.data() + position.size(), out);
  if (end.ec != std::errc{} || end.ptr != position.data() + position.size()) return std::nullopt;
  return out;
}

SqlPlace place_of_column(const json::Value& tree, std::string_view name) {
  return find(tree, [&](const json::Value& node) {
    if (member_text(node, "class") != "COLUMN_REF") return false;
    const json::Value* names = node.find("column_names");
    const json::Array* parts = names == nullptr ? nullptr : names->if_array();
    return parts != nullptr && !parts->empty() && parts->back().is_string() &&
           equal_ignoring_case(*parts->back().if_string(), name);
  });
}

SqlPlace place_of_function(const json::Value& tree, std::string_view message) {
  return find(tree, [&](const json::Value& node) {
    const std::string_view name = member_text(node, "function_name");
    return !name.empty() && message.find("'" + std::string(name) + "(") != std::string_view::npos;
  });
}

Error at_place(Error error, std::string_view sql, const SqlPlace& place) {
  if (!place || *place > sql.size()) return error;
  const std::string_view before = sql.substr(0, *place);
  const std::size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_begin), before.end(),
                                    [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  error.message +=
      fmt::format(" (line {}, column {})", std::count(before.begin(), before.end(), '\n') + 1, column + 1);
  return error;
}

}  // namespace sluice::expression
