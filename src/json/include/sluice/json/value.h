#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace sluice::json {

class Value;
struct Member;

// A number as it was written, so that nothing is lost on the way through: 1e400, 12345678901234567890, 1.10.
struct Number {
  std::string text = "0";

  std::optional<std::int64_t> as_int64()
      const;                 // Also for "3.0" and "1e2"; nothing where it is not a whole number that fits.
  double as_double() const;  // The nearest double; infinite where out of range.
  bool is_integer() const;   // Mathematically whole, of any size.
};

using Array = std::vector<Value>;

// Members in the order they were written; keys are unique.
class Object {
 public:
  Object();
  Object(std::initializer_list<Member> members);
  // Defined where Member is complete: clang looks into the vector as soon as one of them is needed.
  Object(const Object&);
  Object(Object&&) noexcept;
  Object& operator=(const Object&);
  Object& operator=(Object&&) noexcept;
  ~Object();

  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  void set(std::string key, Value value);  // Replaces the value of a key that is there.
  bool erase(std::string_view key);
  void append_unchecked(std::string key, Value value);  // For a caller that knows the key is new.
  std::size_t size() const;
  bool empty() const;
  const std::vector<Member>& members() const { return members_; }
  auto begin() const { return members_.begin(); }
  auto end() const { return members_.end(); }

 private:
  std::vector<Member> members_;
};

enum class Type : std::uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
std::string_view to_string(Type type);  // "null", "boolean", "number", "string", "array", "object"

// A JSON value that owns everything below it. Depth is bounded by the reader, so recursion over one is safe.
class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}                                      // NOLINT: so that literals read like JSON.
  Value(bool value) : data_(value) {}                           // NOLINT
  Value(Number value) : data_(std::move(value)) {}              // NOLINT
  Value(double value);                                          // NOLINT: not finite becomes null.
  Value(std::string value) : data_(std::move(value)) {}         // NOLINT
  Value(std::string_view value) : data_(std::string(value)) {}  // NOLINT
  Value(const char* value) : data_(std::string(value)) {}       // NOLINT
  Value(Array value) : data_(std::move(value)) {}               // NOLINT
  Value(Object value) : data_(std::move(value)) {}              // NOLINT
  template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
      // NOLINTNEXTLINE(google-explicit-constructor): so that literals read like JSON.
      Value(T value)
      : data_(Number{std::to_string(value)}) {}

  Type type() const { return static_cast<Type>(data_.index()); }
  bool is_null() const { return type() == Type::kNull; }
  bool is_string() const { return type() == Type::kString; }
  bool is_object() const { return type() == Type::kObject; }
  bool is_array() const { return type() == Type::kArray; }
  bool is_number() const { return type() == Type::kNumber; }
  bool is_bool() const { return type() == Type::kBool; }

  // Null where the value is of another type.
  const bool* if_bool() const { return std::get_if<bool>(&data_); }
  const Number* if_number() const { return std::get_if<Number>(&data_); }
  const std::string* if_string() const { return std::get_if<std::string>(&data_); }
  const Array* if_array() const { return std::get_if<Array>(&data_); }
  const Object* if_object() const { return std::get_if<Object>(&data_); }
  Array* if_array() { return std::get_if<Array>(&data_); }
  Object* if_object() { return std::get_if<Object>(&data_); }

  // A member of an object; null where this is no object or has no such key.
  const Value* find(std::string_view key) const;

 private:
  std::variant<std::nullptr_t, bool, Number, std::string, Array, Object> data_{nullptr};
};

struct Member {
  std::string key;
  Value value;
};

// Equal as JSON Schema means it: numbers by value, objects whatever the order of their keys.
bool equal(const Value& a, const Value& b);

// Compact JSON text.
std::string to_text(const Value& value);
std::string to_text(const Object& object);

}  // namespace sluice::json
