#include "schema_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <string_view>

namespace sluice::json {
namespace {

// An exponent beyond it is as good as infinite, and the sum of two still fits.
constexpr std::int64_t kExponentMax = 1'000'000'000'000'000'000;

std::int64_t read_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (parsed.ec != std::errc{} || exponent > kExponentMax) exponent = kExponentMax;
  return negative ? -exponent : exponent;
}

}  // namespace

ExactNumber::ExactNumber(const Number& number) {
  std::string_view text = number.text;
  negative_ = text.starts_with('-');
  if (negative_) text.remove_prefix(1);
  if (const std::size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    exponent_ = read_exponent(text.substr(e + 1));
    text = text.substr(0, e);
  }
  const std::size_t point = text.find('.');
  digits_ = text.substr(0, point);
  if (point != std::string_view::npos) {
    const std::string_view fraction = text.substr(point + 1);
    digits_ += fraction;
    exponent_ -= static_cast<std::int64_t>(fraction.size());
  }
  const std::size_t last = digits_.find_last_not_of('0');
  if (last == std::string::npos) {  // Zero has one form: 0, -0 and 0e5 are equal.
    negative_ = false;
    digits_.clear();
    exponent_ = 0;
    return;
  }
  exponent_ += static_cast<std::int64_t>(digits_.size() - last - 1);
  digits_.erase(last + 1);
  digits_.erase(0, digits_.find_first_not_of('0'));
}

std::strong_ordering operator<=>(const ExactNumber& a, const ExactNumber& b) {
  const auto sign = [](const ExactNumber& number) {
    if (number.digits_.empty()) return 0;
    return number.negative_ ? -1 : 1;
  };
  if (sign(a) != sign(b)) return sign(a) <=> sign(b);
  const ExactNumber& larger = a.negative_ ? b : a;  // Of two negative numbers, the one with the smaller size.
  const ExactNumber& smaller = a.negative_ ? a : b;
  const auto magnitude = [](const ExactNumber& number) {
    return number.exponent_ + static_cast<std::int64_t>(number.digits_.size());
  };
  if (magnitude(larger) != magnitude(smaller)) return magnitude(larger) <=> magnitude(smaller);
  return larger.digits_.compare(smaller.digits_) <=> 0;  // The same power of ten: digits compare as text.
}

bool ExactNumber::is_multiple_of(const ExactNumber& step) const {
  constexpr std::size_t kExactDigitsMax = 18;  // Ten times the remainder plus a digit fits in 64 bits.
  if (digits_.empty()) return true;
  const std::int64_t shift = exponent_ - step.exponent_;
  // The digits end in no zero, so they are no multiple of the tens that a negative shift would ask for.
  if (shift < 0) return false;
  if (step.digits_.size() > kExactDigitsMax) {
    const double quotient = to_double() / step.to_double();
    return std::isfinite(quotient) && quotient == std::floor(quotient);
  }
  std::uint64_t divisor = 0;
  std::from_chars(step.digits_.data(), step.digits_.data() + step.digits_.size(), divisor);
  std::uint64_t remainder = 0;
  for (const char digit : digits_) {
    remainder = (remainder * 10 + static_cast<std::uint64_t>(digit - '0')) % divisor;
  }
  // After 60 tens every 2 and 5 of a 60-bit divisor is used up: further tens change nothing.
  for (std::int64_t i = 0; i < std::min<std::int64_t>(shift, 60) && remainder != 0; ++i) {
    remainder = remainder * 10 % divisor;
  }
  return remainder == 0;
}

std::size_t ExactNumber::hash() const {
  const std::size_t digits = std::hash<std::string_view>{}(digits_);
  return digits ^ (std::hash<std::int64_t>{}(exponent_)*31) ^ (negative_ ? 0x5bd1e995U : 0U);
}

double ExactNumber::to_double() const {
  const std::string text = (negative_ ? "-" : "") + digits_ + "e" + std::to_string(exponent_);
  return Number{text}.as_double();
}

}  // namespace sluice::json
