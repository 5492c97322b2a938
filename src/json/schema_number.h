#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sluice/json/value.h"

namespace sluice::json {

// A number for exact arithmetic: ±digits × 10^exponent, the digits without zeros at either end. Neither 0.07
// nor 9007199254740993 is a double, and a schema may speak about both.
class ExactNumber {
 public:
  explicit ExactNumber(const Number& number);

  friend std::strong_ordering operator<=>(const ExactNumber& a, const ExactNumber& b);
  friend bool operator==(const ExactNumber& a, const ExactNumber& b) = default;

  bool is_positive() const { return !negative_ && !digits_.empty(); }
  // Exact where `step` has at most 18 digits, else as near as doubles are. `step` is positive.
  bool is_multiple_of(const ExactNumber& step) const;
  std::size_t hash() const;  // Equal numbers, however written, have equal hashes.

 private:
  double to_double() const;

  bool negative_ = false;
  std::string digits_;  // Empty for zero.
  std::int64_t exponent_ = 0;
};

}  // namespace sluice::json
