#include "json_path.h"

#include <cctype>
#include <charconv>

namespace sluice::case_files {

namespace {

bool is_key_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

}  // namespace

std::size_t JsonPath::length_in(std::string_view line) {
  bool is_quoted = false;
  std::size_t length = 0;
  for (; length < line.size(); ++length) {
    if (line[length] == '"') is_quoted = !is_quoted;
    if (line[length] == ' ' && !is_quoted) break;
  }
  return length;
}

Result<JsonPath> JsonPath::parse(std::string_view text) {
  JsonPath path;
  path.text_ = text;
  std::string_view rest = text;
  if (rest == "answer" || rest.starts_with("answer[") || rest.starts_with("answer.")) rest.remove_prefix(6);
  while (!rest.empty()) {
    if (rest.front() == '.') rest.remove_prefix(1);
    if (rest.starts_with('[')) {
      std::size_t index = 0;
      const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), index);
      if (error != std::errc() || end == rest.data() + rest.size() || *end != ']')
        return invalid_input("a path with an index that is no number: " + std::string(text));
      path.steps_.emplace_back(index);
      rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
      continue;
    }
    const bool is_quoted = rest.starts_with('"');
    std::size_t end = is_quoted ? rest.find('"', 1) : 0;
    while (!is_quoted && end < rest.size() && is_key_character(rest[end])) ++end;
    if (end == std::string_view::npos || end == 0) return invalid_input("no path: " + std::string(text));
    path.steps_.emplace_back(std::string(is_quoted ? rest.substr(1, end - 1) : rest.substr(0, end)));
    rest.remove_prefix(is_quoted ? end + 1 : end);
  }
  return path;
}

bool JsonPath::starts_with(std::string_view key) const {
  return !steps_.empty() && std::holds_alternative<std::string>(steps_.front()) &&
         std::get<std::string>(steps_.front()) == key;
}

const json::Value* JsonPath::find(const json::Value& document) const {
  const json::Value* value = &document;
  for (const Step& step : steps_) {
    if (const std::string* key = std::get_if<std::string>(&step)) {
      value = value->find(*key);
    } else {
      const std::size_t index = std::get<std::size_t>(step);
      const json::Array* array = value->if_array();
      value = array != nullptr && index < array->size() ? &(*array)[index] : nullptr;
    }
    if (value == nullptr) return nullptr;
  }
  return value;
}

json::Value JsonPath::replace(const json::Value& document, json::Value value) const {
  return replace_from(0, document, std::move(value));
}

json::Value JsonPath::replace_from(std::size_t step, const json::Value& document, json::Value value) const {
  if (step == steps_.size()) return value;
  if (const std::string* key = std::get_if<std::string>(&steps_[step])) {
    json::Object object = document.if_object() == nullptr ? json::Object() : *document.if_object();
    const json::Value* below = object.find(*key);
    object.set(*key, replace_from(step + 1, below == nullptr ? json::Value() : *below, std::move(value)));
    return object;
  }
  const std::size_t index = std::get<std::size_t>(steps_[step]);
  json::Array array = document.if_array() == nullptr ? json::Array() : *document.if_array();
  if (array.size() <= index) array.resize(index + 1);
  array[index] = replace_from(step + 1, array[index], std::move(value));
  return array;
}

}  // namespace sluice::case_files
