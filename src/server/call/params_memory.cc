#include "call/params_memory.h"

namespace sluice::server {
namespace {

// Short text has room within its value.
std::uint64_t heap_bytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() : 0;
}

// What a value takes besides itself. The reader of a message bounds how deep this goes.
std::uint64_t heap_bytes(const json::Value& value) {
  if (const std::string* text = value.if_string()) return heap_bytes(*text);
  if (const json::Number* number = value.if_number()) return heap_bytes(number->text);
  if (const json::Object* object = value.if_object()) return memory_bytes(*object);
  const json::Array* array = value.if_array();
  if (array == nullptr) return 0;
  std::uint64_t bytes = array->capacity() * sizeof(json::Value);
  for (const json::Value& item : *array) bytes += heap_bytes(item);
  return bytes;
}

}  // namespace

std::uint64_t memory_bytes(const json::Object& object) {
  std::uint64_t bytes = object.members().capacity() * sizeof(json::Member);
  for (const json::Member& member : object) bytes += heap_bytes(member.key) + heap_bytes(member.value);
  return bytes;
}

}  // namespace sluice::server
