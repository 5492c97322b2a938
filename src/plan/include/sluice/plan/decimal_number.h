#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::plan {

// A decimal number with all the digits that its text has. Nothing is rounded.
class DecimalNumber {
 public:
  // Accepts -12, +1.5, .5, 1. and 1e-3, with blanks around it. Returns nullopt for any other text, for texts
  // longer than 4,096 bytes and for exponents beyond a million.
  static std::optional<DecimalNumber> parse(std::string_view text);

  bool is_zero() const { return digits_.empty(); }
  bool is_negative() const { return is_negative_; }
  std::size_t digits() const { return digits_.size(); }  // Significant ones.

  // The absolute value times 10^scale, cut at the decimal point.
  struct Truncated {
    std::string digits;     // "0", or digits without a leading zero. Empty if there are more than 100.
    bool has_rest = false;  // Digits other than zero were cut off.
  };
  Truncated truncated(std::uint32_t scale) const;

  std::string text() const;  // In a form that std::from_chars accepts.
  // A text whose order by bytes is the order of the numbers. Never empty; equal numbers have equal keys.
  std::string sort_key() const;

  friend bool operator==(const DecimalNumber&, const DecimalNumber&) = default;
  std::strong_ordering operator<=>(const DecimalNumber& other) const;

 private:
  // The value is 0.digits times 10^point. Zero has no digits, no sign and the point 0.
  bool is_negative_ = false;
  std::string digits_;
  std::int64_t point_ = 0;
};

// The sort key of the number in a text, or "" for a text that is not a number.
std::string number_key(std::string_view text);

}  // namespace sluice::plan
