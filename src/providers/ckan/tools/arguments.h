#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::ckan {

// A whole number that an argument may be.
struct Bounds {
  std::int64_t usual = 0;  // Where it is not given.
  std::int64_t least = 0;
  std::int64_t most = 0;
};

// The arguments of a call, which have the types of its schema. Numbers may be written as text: many hosts do.
class Arguments {
 public:
  explicit Arguments(const json::Object& given) : given_(given) {}  // Which must outlive this.

  bool has(std::string_view key) const { return given_.contains(key); }
  std::string text(std::string_view key, std::string_view usual = "") const;
  bool flag(std::string_view key, bool usual = false) const;
  // invalid_arguments where it is out of bounds.
  Result<std::int64_t> number(std::string_view key, const Bounds& bounds) const;
  std::vector<std::string> texts(std::string_view key) const;
  const json::Object* object(std::string_view key) const;  // Null where it is not given.

 private:
  const json::Object& given_;
};

// The schema of such a number.
json::Object number_schema(const Bounds& bounds, std::string_view description = "");

}  // namespace sluice::ckan
