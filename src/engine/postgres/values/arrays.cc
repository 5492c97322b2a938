#include "values/arrays.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sluice/base/text.h"

namespace sluice::engine::postgres {

namespace {

// Takes a quoted item, from the first quote to the last; false where it does not end.
bool take_quoted(std::string_view& text, std::string& out) {
  text.remove_prefix(1);
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\') text.remove_prefix(1);
    if (text.empty()) return false;
    out += text.front();
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<std::vector<std::optional<std::string>>> items_of(std::string_view text) {
  std::vector<std::optional<std::string>> items;
  // Other bounds stand before the braces: [0:1]={a,b}.
  if (!text.starts_with('{') || !text.ends_with('}')) return std::nullopt;
  text.remove_prefix(1);
  text.remove_suffix(1);
  while (!text.empty()) {
    std::string item;
    if (text.front() == '{') return std::nullopt;
    if (text.front() == '"') {
      if (!take_quoted(text, item)) return std::nullopt;
      items.emplace_back(std::move(item));
    } else {
      const std::size_t end = std::min(text.find(','), text.size());
      for (std::size_t i = 0; i < end; ++i) {
        if (text[i] == '\\' && i + 1 < end) ++i;
        item += text[i];
      }
      text.remove_prefix(end);
      if (equal_ignoring_case(item, "null")) {
        items.emplace_back(std::nullopt);
      } else {
        items.emplace_back(std::move(item));
      }
    }
    if (text.empty()) break;
    if (text.front() != ',') return std::nullopt;
    text.remove_prefix(1);
  }
  return items;
}

}  // namespace sluice::engine::postgres
