#include "sluice/json/object_reader.h"

#include <fmt/format.h>

namespace sluice::json {
namespace {

// "a string", "null": what was found, as the middle of a sentence.
std::string_view found(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return "a boolean";
    case Type::kNumber:
      return "a number";
    case Type::kString:
      return "a string";
    case Type::kArray:
      return "an array";
    case Type::kObject:
      return "an object";
  }
  return "null";
}

}  // namespace

Result<ObjectReader> ObjectReader::of(const Value& value, std::string path) {
  const Object* object = value.if_object();
  if (object == nullptr) {
    return invalid_input(fmt::format("{}: expected an object, got {}", path, found(value)));
  }
  return ObjectReader(*object, std::move(path));
}

std::string ObjectReader::path_of(std::string_view key) const {
  if (path_.empty()) return std::string(key);
  std::string path;
  path.reserve(path_.size() + 1 + key.size());
  return path.append(path_).append(1, '.').append(key);
}

Error ObjectReader::wrong_type(std::string_view key, std::string_view expected, const Value& got) const {
  return invalid_input(fmt::format("{}: expected {}, got {}", path_of(key), expected, found(got)));
}

Error ObjectReader::missing(std::string_view key) const {
  return invalid_input(fmt::format("{}: required, but missing", path_of(key)));
}

Result<std::string> ObjectReader::required_string(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return missing(key);
  const std::string* text = value->if_string();
  if (text == nullptr) return wrong_type(key, "a string", *value);
  return *text;
}

Result<std::optional<std::string>> ObjectReader::optional_string(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<std::string>{};
  const std::string* text = value->if_string();
  if (text == nullptr) return wrong_type(key, "a string", *value);
  return std::optional<std::string>{*text};
}

Result<std::optional<bool>> ObjectReader::optional_bool(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<bool>{};
  const bool* flag = value->if_bool();
  if (flag == nullptr) return wrong_type(key, "true or false", *value);
  return std::optional<bool>{*flag};
}

Result<std::optional<std::int64_t>> ObjectReader::optional_int(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<std::int64_t>{};
  const Number* number = value->if_number();
  if (number == nullptr) return wrong_type(key, "an integer", *value);
  const std::optional<std::int64_t> whole = number->as_int64();
  if (!whole)
    return invalid_input(fmt::format("{}: expected a 64-bit integer, got {}", path_of(key), number->text));
  return whole;
}

Result<std::optional<double>> ObjectReader::optional_number(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<double>{};
  const Number* number = value->if_number();
  if (number == nullptr) return wrong_type(key, "a number", *value);
  return std::optional<double>{number->as_double()};
}

Result<ObjectReader> ObjectReader::required_object(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return missing(key);
  return of(*value, path_of(key));
}

Result<std::optional<ObjectReader>> ObjectReader::optional_object(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::optional<ObjectReader>{};
  SLUICE_TRY(ObjectReader reader, of(*value, path_of(key)));
  return std::optional<ObjectReader>{std::move(reader)};
}

Result<const Array*> ObjectReader::optional_array(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return static_cast<const Array*>(nullptr);
  const Array* array = value->if_array();
  if (array == nullptr) return wrong_type(key, "an array", *value);
  return array;
}

Result<const Array*> ObjectReader::required_array(std::string_view key) const {
  if (find(key) == nullptr) return missing(key);
  return optional_array(key);
}

Result<std::vector<std::string>> ObjectReader::optional_strings(std::string_view key) const {
  SLUICE_TRY(const Array* array, optional_array(key));
  std::vector<std::string> texts;
  if (array == nullptr) return texts;
  texts.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string* text = (*array)[i].if_string();
    if (text == nullptr) return wrong_type(fmt::format("{}[{}]", key, i), "a string", (*array)[i]);
    texts.push_back(*text);
  }
  return texts;
}

}  // namespace sluice::json
