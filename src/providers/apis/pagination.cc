#include "pagination.h"

#include <algorithm>
#include <charconv>

#include "sluice/base/text.h"

namespace sluice::apis {

namespace {

// Where the parameters of a link end: at the next comma that is not within quotes.
std::size_t end_of_link(std::string_view text) {
  bool is_quoted = false;
  bool is_escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' && !is_quoted) return i;
    if (text[i] == '"' && !is_escaped) is_quoted = !is_quoted;
    is_escaped = is_quoted && text[i] == '\\' && !is_escaped;
  }
  return text.size();
}

bool has_relation(std::string_view relations, std::string_view wanted) {
  while (!relations.empty()) {
    const std::string_view one = relations.substr(0, relations.find(' '));
    if (equal_ignoring_case(one, wanted)) return true;
    relations.remove_prefix(std::min(one.size() + 1, relations.size()));
  }
  return false;
}

bool is_next(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view one = trim_spaces(parameters.substr(0, parameters.find(';')));
    parameters.remove_prefix(std::min(parameters.find(';'), parameters.size() - 1) + 1);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || !equal_ignoring_case(trim_spaces(one.substr(0, equals)), "rel"))
      continue;
    std::string_view value = trim_spaces(one.substr(equals + 1));
    if (value.size() >= 2 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
    return has_relation(value, "next");
  }
  return false;
}

std::optional<std::string> next_in(std::string_view header) {
  while (true) {
    const std::size_t open = header.find('<');
    const std::size_t close = header.find('>', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
    const std::string_view target = header.substr(open + 1, close - open - 1);
    header.remove_prefix(close + 1);
    const std::size_t end = end_of_link(header);
    if (is_next(header.substr(0, end))) return std::string(target);
    header.remove_prefix(std::min(end + 1, header.size()));
  }
}

std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    out += is_escape ? (token[++i] == '0' ? '~' : '/') : token[i];
  }
  return out;
}

const json::Value* element_of(const json::Array& array, std::string_view token) {
  std::size_t index = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), index);
  if (parsed.ec != std::errc{} || parsed.ptr != token.data() + token.size() || index >= array.size())
    return nullptr;
  return &array[index];
}

}  // namespace

std::optional<std::string> next_link(const fetch::Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (name != "link") continue;
    if (std::optional<std::string> next = next_in(value)) return next;
  }
  return std::nullopt;
}

const json::Value* at_pointer(const json::Value& value, std::string_view pointer) {
  const json::Value* at = &value;
  while (!pointer.empty() && at != nullptr) {
    pointer.remove_prefix(1);  // Its slash.
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    if (const json::Array* array = at->if_array()) {
      at = element_of(*array, token);
    } else {
      at = at->find(unescaped(token));
    }
  }
  return at;
}

}  // namespace sluice::apis
