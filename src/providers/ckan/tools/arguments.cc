#include "tools/arguments.h"

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "sluice/base/text.h"

namespace sluice::ckan {

namespace {

std::optional<std::int64_t> parsed(const json::Value& value) {
  if (const json::Number* number = value.if_number()) return number->as_int64();
  const std::string* text = value.if_string();
  if (text == nullptr) return std::nullopt;
  std::int64_t number = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), number);
  if (read.ec != std::errc{} || read.ptr != text->data() + text->size()) return std::nullopt;
  return number;
}

}  // namespace

std::string Arguments::text(std::string_view key, std::string_view usual) const {
  const json::Value* value = given_.find(key);
  const std::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string(usual) : *text;
}

bool Arguments::flag(std::string_view key, bool usual) const {
  const json::Value* value = given_.find(key);
  return value == nullptr || value->if_bool() == nullptr ? usual : *value->if_bool();
}

Result<std::int64_t> Arguments::number(std::string_view key, const Bounds& bounds) const {
  const json::Value* value = given_.find(key);
  if (value == nullptr) return bounds.usual;
  const std::optional<std::int64_t> number = parsed(*value);
  if (!number || *number < bounds.least || *number > bounds.most)
    return invalid_input(fmt::format("arguments.{}: must be {} to {}", key, bounds.least, bounds.most))
        .with_code("invalid_arguments")
        .with_hint("Correct the arguments and call it again.");
  return *number;
}

std::vector<std::string> Arguments::texts(std::string_view key) const {
  std::vector<std::string> out;
  const json::Value* value = given_.find(key);
  const json::Array* list = value == nullptr ? nullptr : value->if_array();
  if (list == nullptr) return out;
  for (const json::Value& each : *list) {
    if (const std::string* text = each.if_string()) out.push_back(*text);
  }
  return out;
}

const json::Object* Arguments::object(std::string_view key) const {
  const json::Value* value = given_.find(key);
  return value == nullptr ? nullptr : value->if_object();
}

json::Object number_schema(const Bounds& bounds, std::string_view description) {
  json::Object out{{"type", json::Array{"integer", "string"}},
                   {"minimum", bounds.least},
                   {"maximum", bounds.most},
                   {"pattern", "^-?[0-9]{1,18}$"},
                   {"default", bounds.usual}};
  if (!description.empty()) out.set("description", description);
  return out;
}

}  // namespace sluice::ckan
