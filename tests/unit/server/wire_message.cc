#include "wire_message.h"

#include <cstdlib>
#include <iostream>

#include "sluice/json/reader.h"

namespace sluice::server::testing {

json::Value parse(std::string_view text) {
  Result<json::Value> value = json::read(text);
  if (value) return *std::move(value);
  std::cerr << "a test wrote invalid JSON: " << value.error().message << ": " << text << '\n';
  std::abort();
}

const json::Value& WireMessage::at(std::initializer_list<Step> path) const {
  static const json::Value kNothing;
  const json::Value* value = &value_;
  for (const Step& step : path) {
    if (const char* const* key = std::get_if<const char*>(&step)) {
      value = value->find(*key);
    } else {
      const auto index = static_cast<std::size_t>(std::get<int>(step));
      const json::Array* array = value->if_array();
      value = array != nullptr && index < array->size() ? &(*array)[index] : nullptr;
    }
    if (value == nullptr) return kNothing;
  }
  return *value;
}

std::string WireMessage::text(std::initializer_list<Step> path) const {
  const json::Value& value = at(path);
  if (const std::string* text = value.if_string()) return *text;
  return value.is_null() ? std::string{} : json::to_text(value);
}

bool WireMessage::has(std::initializer_list<Step> path) const { return !at(path).is_null(); }

std::size_t WireMessage::size(std::initializer_list<Step> path) const {
  const json::Value& value = at(path);
  if (const json::Array* array = value.if_array()) return array->size();
  if (const json::Object* object = value.if_object()) return object->size();
  return 0;
}

std::int64_t WireMessage::code() const {
  const json::Number* number = at({"error", "code"}).if_number();
  return number == nullptr ? 0 : number->as_int64().value_or(0);
}

std::string WireMessage::id() const {
  const json::Value* id = value_.find("id");
  return id == nullptr ? std::string{} : json::to_text(*id);
}

void PrintTo(const WireMessage& message, std::ostream* out) { *out << json::to_text(message.value()); }

}  // namespace sluice::server::testing
