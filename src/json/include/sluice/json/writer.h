#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sluice/json/value.h"

namespace sluice::json {

// Appends `text` in quotes. Bytes that are not UTF-8 become U+FFFD: the output is always valid JSON.
void append_string(std::string& out, std::string_view text);

// Writes compact JSON from front to back. Commas are placed by the writer; the caller keeps begin and end in
// pairs and puts a key before each value inside an object.
class Writer {
 public:
  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);

  Writer& string(std::string_view text);
  Writer& boolean(bool value);
  Writer& null();
  Writer& number(std::int64_t value);
  Writer& number(std::uint64_t value);
  Writer& number(double value);  // Not finite becomes null.
  Writer& value(const Value& value);
  Writer& raw(std::string_view json);  // Already JSON; written as it is.

  Writer& field(std::string_view name, std::string_view text) { return key(name).string(text); }
  Writer& field(std::string_view name, const char* text) { return key(name).string(text); }
  Writer& field(std::string_view name, const std::string& text) { return key(name).string(text); }
  Writer& field(std::string_view name, const Value& json) { return key(name).value(json); }
  template <typename T>
  requires(std::is_arithmetic_v<T>) Writer& field(std::string_view name, T plain) {
    key(name);
    if constexpr (std::is_same_v<T, bool>) {
      return boolean(plain);
    } else if constexpr (std::is_floating_point_v<T>) {
      return number(static_cast<double>(plain));
    } else if constexpr (std::is_signed_v<T>) {
      return number(static_cast<std::int64_t>(plain));
    } else {
      return number(static_cast<std::uint64_t>(plain));
    }
  }
  // Leaves the field out when it is absent.
  template <typename T>
  Writer& field_if(std::string_view name, const std::optional<T>& maybe) {
    if (maybe) field(name, *maybe);
    return *this;
  }
  Writer& raw_field(std::string_view name, std::string_view json) { return key(name).raw(json); }

  // Room for so many more bytes, where it is known how much comes: growing would copy what is there.
  void reserve(std::size_t bytes) { out_.reserve(out_.size() + bytes); }
  std::size_t size() const { return out_.size(); }
  const std::string& text() const { return out_; }
  std::string take() && { return std::move(out_); }

 private:
  void separate();

  std::string out_;
  bool comma_ = false;  // A value stands before the current place, in the same array or object.
};

}  // namespace sluice::json
