#include "toml_scalar.h"

#include <array>
#include <string>

namespace sluice::hosts {

namespace {

bool is_decimal(char c) { return c >= '0' && c <= '9'; }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_binary(char c) { return c == '0' || c == '1'; }
bool is_hexadecimal(char c) { return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

char at(std::string_view text, std::size_t offset) { return offset < text.size() ? text[offset] : '\0'; }

// Digits with single underscores between them, from `begin`. Returns where they end; `begin` if there are
// none.
std::size_t end_of_digits(std::string_view text, std::size_t begin, bool (*is_digit_of_base)(char)) {
  std::size_t end = begin;
  while (is_digit_of_base(at(text, end)) ||
         (end > begin && at(text, end) == '_' && is_digit_of_base(at(text, end + 1))))
    ++end;
  return end;
}

// `pattern` with 'd' for a digit and everything else for itself.
bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() < pattern.size()) return false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == 'd' ? !is_decimal(text[i]) : text[i] != pattern[i]) return false;
  }
  return true;
}

unsigned number_at(std::string_view text, std::size_t offset, std::size_t digits) {
  unsigned value = 0;
  for (const char c : text.substr(offset, digits)) value = value * 10 + static_cast<unsigned>(c - '0');
  return value;
}

bool is_date(std::string_view text) {
  if (!matches(text, "dddd-dd-dd")) return false;
  const unsigned year = number_at(text, 0, 4);
  const unsigned month = number_at(text, 5, 2);
  const unsigned day = number_at(text, 8, 2);
  constexpr std::array<unsigned, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (year == 0 || month == 0 || month > 12 || day == 0) return false;
  const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && is_leap ? 1U : 0U);
}

// hh:mm:ss with a fraction.
std::size_t time_size(std::string_view text) {
  if (!matches(text, "dd:dd:dd")) return 0;
  if (number_at(text, 0, 2) > 23 || number_at(text, 3, 2) > 59 || number_at(text, 6, 2) > 59) return 0;
  std::size_t end = 8;
  if (at(text, end) == '.' && is_decimal(at(text, end + 1))) {
    ++end;
    while (is_decimal(at(text, end))) ++end;
  }
  return end;
}

std::size_t offset_size(std::string_view text) {
  if (at(text, 0) == 'Z' || at(text, 0) == 'z') return 1;
  if (!matches(text, "+dd:dd") && !matches(text, "-dd:dd")) return 0;
  return number_at(text, 1, 2) <= 23 && number_at(text, 4, 2) <= 59 ? 6 : 0;
}

std::size_t date_size(std::string_view text) {
  if (!is_date(text)) return 0;
  const char separator = at(text, 10);
  if (separator != 'T' && separator != 't' && separator != ' ') return 10;
  const std::size_t time = time_size(text.substr(11));
  return time == 0 ? 10 : 11 + time + offset_size(text.substr(11 + time));
}

std::size_t integer_of_base_size(std::string_view text) {
  if (at(text, 0) != '0') return 0;
  std::size_t end = 2;
  if (at(text, 1) == 'x') end = end_of_digits(text, 2, is_hexadecimal);
  if (at(text, 1) == 'o') end = end_of_digits(text, 2, is_octal);
  if (at(text, 1) == 'b') end = end_of_digits(text, 2, is_binary);
  return end > 2 ? end : 0;
}

std::size_t number_size(std::string_view text) {
  if (const std::size_t size = integer_of_base_size(text)) return size;
  const std::size_t sign = at(text, 0) == '+' || at(text, 0) == '-' ? 1 : 0;
  const std::string_view word = text.substr(sign, 3);
  if (word == "inf" || word == "nan") return sign + 3;
  if (!is_decimal(at(text, sign))) return 0;
  std::size_t end = at(text, sign) == '0' ? sign + 1 : end_of_digits(text, sign, is_decimal);
  if (at(text, end) == '.' && is_decimal(at(text, end + 1))) end = end_of_digits(text, end + 1, is_decimal);
  if (at(text, end) != 'e' && at(text, end) != 'E') return end;
  std::size_t exponent = end + 1;
  if (at(text, exponent) == '+' || at(text, exponent) == '-') ++exponent;
  const std::size_t exponent_end = end_of_digits(text, exponent, is_decimal);
  return exponent_end > exponent ? exponent_end : end;
}

}  // namespace

std::size_t toml_scalar_size(std::string_view text) {
  if (text.starts_with("true")) return 4;
  if (text.starts_with("false")) return 5;
  if (const std::size_t size = date_size(text)) return size;
  if (const std::size_t size = time_size(text)) return size;
  return number_size(text);
}

}  // namespace sluice::hosts
