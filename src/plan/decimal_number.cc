#include "sluice/plan/decimal_number.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "digit.h"

namespace sluice::plan {

namespace {

constexpr std::size_t kTextBytesMax = 4'096;
constexpr std::int64_t kExponentMax = 1'000'000;
constexpr std::int64_t kTruncatedDigitsMax = 100;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool take_sign(std::string_view& text) {
  if (!text.starts_with('-') && !text.starts_with('+')) return false;
  const bool is_negative = text.front() == '-';
  text.remove_prefix(1);
  return is_negative;
}

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

// What follows the digits: nothing, or an exponent.
std::optional<std::int64_t> exponent_of(std::string_view text) {
  if (text.empty()) return 0;
  if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
  text.remove_prefix(1);
  const bool is_negative = take_sign(text);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || !is_digit(text.front()) || end != text.data() + text.size()) return std::nullopt;
  if (error != std::errc() || value > kExponentMax) return std::nullopt;
  return is_negative ? -value : value;
}

}  // namespace

std::optional<DecimalNumber> DecimalNumber::parse(std::string_view text) {
  text = trimmed(text);
  if (text.size() > kTextBytesMax) return std::nullopt;
  DecimalNumber out;
  out.is_negative_ = take_sign(text);
  const std::string_view whole = take_digits(text);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const std::optional<std::int64_t> exponent = exponent_of(text);
  if (!exponent) return std::nullopt;
  out.digits_ = std::string(whole) + std::string(fraction);
  out.point_ = static_cast<std::int64_t>(whole.size()) + *exponent;
  const std::size_t first = std::min(out.digits_.find_first_not_of('0'), out.digits_.size());
  out.digits_.erase(0, first);
  out.point_ -= static_cast<std::int64_t>(first);
  out.digits_.resize(out.digits_.find_last_not_of('0') + 1);
  if (out.digits_.empty()) return DecimalNumber();
  return out;
}

DecimalNumber::Truncated DecimalNumber::truncated(std::uint32_t scale) const {
  const std::int64_t whole = point_ + scale;  // How many digits stand before the decimal point.
  if (is_zero() || whole <= 0) return {.digits = "0", .has_rest = !is_zero()};
  if (whole > kTruncatedDigitsMax) return {.digits = "", .has_rest = false};
  const auto count = static_cast<std::size_t>(whole);
  Truncated out{.digits = digits_.substr(0, count), .has_rest = digits_.size() > count};
  out.digits.resize(count, '0');
  return out;
}

std::string DecimalNumber::text() const {
  if (is_zero()) return "0";
  return fmt::format("{}0.{}e{}", is_negative_ ? "-" : "", digits_, point_);
}

std::string DecimalNumber::sort_key() const {
  constexpr std::int64_t kBias = 10'000'000;  // Exponents with it are positive and have eight digits.
  static_assert(kExponentMax + static_cast<std::int64_t>(kTextBytesMax) < kBias);
  if (is_zero()) return "1";
  if (!is_negative_) return fmt::format("2{:08}{}", kBias + point_, digits_);
  // Of negative numbers the larger one is smaller: every digit is complemented, and the end sorts behind
  // every digit.
  std::string complement = digits_;
  for (char& c : complement) c = static_cast<char>('0' + ('9' - c));
  return fmt::format("0{:08}{}~", kBias - point_, complement);
}

std::strong_ordering DecimalNumber::operator<=>(const DecimalNumber& other) const {
  return sort_key() <=> other.sort_key();
}

std::string number_key(std::string_view text) {
  const std::optional<DecimalNumber> number = DecimalNumber::parse(text);
  return number ? number->sort_key() : std::string();
}

}  // namespace sluice::plan
