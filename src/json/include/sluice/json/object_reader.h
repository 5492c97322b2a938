#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::json {

// Reads the fields of one object and names the place where something is wrong: "params.name: expected a
// string, got a number". Unknown fields are ignored, null counts as a value.
class ObjectReader {
 public:
  // `object` and the texts behind `path` must outlive the reader.
  ObjectReader(const Object& object, std::string path) : object_(object), path_(std::move(path)) {}
  static Result<ObjectReader> of(const Value& value, std::string path);

  Result<std::string> required_string(std::string_view key) const;
  Result<std::optional<std::string>> optional_string(std::string_view key) const;
  Result<std::optional<bool>> optional_bool(std::string_view key) const;
  Result<std::optional<std::int64_t>> optional_int(std::string_view key) const;
  Result<std::optional<double>> optional_number(std::string_view key) const;
  Result<ObjectReader> required_object(std::string_view key) const;
  Result<std::optional<ObjectReader>> optional_object(std::string_view key) const;
  Result<const Array*> required_array(std::string_view key) const;
  Result<const Array*> optional_array(std::string_view key) const;  // Null where absent.
  Result<std::vector<std::string>> optional_strings(std::string_view key) const;
  const Value* find(std::string_view key) const { return object_.find(key); }

  const Object& object() const { return object_; }
  std::string path_of(std::string_view key) const;

 private:
  Error wrong_type(std::string_view key, std::string_view expected, const Value& got) const;
  Error missing(std::string_view key) const;

  const Object& object_;
  std::string path_;
};

}  // namespace sluice::json
