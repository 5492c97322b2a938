#include "values/numbers.h"

#include <cstddef>

namespace sluice::engine::postgres {

namespace {

constexpr std::string_view kDecimalDigits = "0123456789";

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::optional<Digits> digits_of(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  std::string_view whole = text.substr(0, point);
  std::string_view fraction = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || whole.find_first_not_of(kDecimalDigits) != std::string_view::npos) return std::nullopt;
  if (fraction.find_first_not_of(kDecimalDigits) != std::string_view::npos) return std::nullopt;
  while (whole.starts_with('0')) whole.remove_prefix(1);
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  return Digits{.whole = whole.size(), .fraction = fraction.size()};
}

std::optional<Wide> decimal_of(std::string_view text, const Type& type) {
  const std::optional<Digits> digits = digits_of(text);
  if (!digits || digits->fraction > type.scale || digits->whole + type.scale > type.width)
    return std::nullopt;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  Wide value = 0;
  std::size_t behind = 0;
  bool is_behind = false;
  for (const char c : text) {
    if (c == '.') {
      is_behind = true;
      continue;
    }
    if (is_behind && behind == type.scale) break;  // Zeros, as was seen above.
    value = value * 10 + (c - '0');
    if (is_behind) ++behind;
  }
  for (; behind < type.scale; ++behind) value *= 10;
  return is_negative ? -value : value;
}

std::optional<Int128> uuid_of(std::string_view text) {
  std::uint64_t parts[2] = {0, 0};
  std::size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    const int value = nibble(c);
    if (value < 0 || digits == 32) return std::nullopt;
    std::uint64_t& part = parts[digits / 16];
    part = (part << 4U) | static_cast<std::uint64_t>(value);
    ++digits;
  }
  if (digits != 32) return std::nullopt;
  // The top bit is flipped, so that signed cells are in the order of the texts.
  return Int128{.low = parts[1], .high = static_cast<std::int64_t>(parts[0] ^ (std::uint64_t{1} << 63U))};
}

}  // namespace sluice::engine::postgres
