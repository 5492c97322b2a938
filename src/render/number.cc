#include "number.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

namespace sluice::render {

namespace {

__extension__ using Wide = unsigned __int128;

std::string digits(Wide value) {
  if (value == 0) return "0";
  std::string out;
  for (; value != 0; value /= 10) out += static_cast<char>('0' + static_cast<int>(value % 10));
  std::reverse(out.begin(), out.end());
  return out;
}

Wide wide(engine::Int128 value) {
  return (static_cast<Wide>(static_cast<std::uint64_t>(value.high)) << 64U) | value.low;
}

engine::Int128 widen(std::int64_t value) {
  return {.low = static_cast<std::uint64_t>(value), .high = value < 0 ? -1 : 0};
}

engine::Int128 decimal_cell(const engine::Column& column, std::size_t row) {
  const std::uint8_t width = column.type->width;
  if (width <= 4) return widen(column.at<std::int16_t>(row));
  if (width <= 9) return widen(column.at<std::int32_t>(row));
  if (width <= 18) return widen(column.at<std::int64_t>(row));
  return column.at<engine::Int128>(row);
}

}  // namespace

std::string digits_of(engine::Int128 value) {
  if (value.high >= 0) return digits(wide(value));
  return "-" + digits(~wide(value) + 1);
}

std::string unsigned_digits_of(engine::Int128 value) { return digits(wide(value)); }

NumberText decimal_text(const engine::Column& column, std::size_t row) {
  constexpr std::size_t kDoubleDigits = 15;
  const engine::Int128 cell = decimal_cell(column, row);
  const bool negative = cell.high < 0;
  std::string text = digits(negative ? ~wide(cell) + 1 : wide(cell));
  const bool is_exact = text.size() <= kDoubleDigits;
  const std::size_t scale = column.type->scale;
  if (scale > 0) {
    if (text.size() <= scale) text.insert(0, scale + 1 - text.size(), '0');
    text.insert(text.size() - scale, 1, '.');
  }
  if (negative) text.insert(0, 1, '-');
  return {.text = std::move(text), .is_exact = is_exact};
}

std::string uuid_text(engine::Int128 value) {
  const auto high = static_cast<std::uint64_t>(value.high) ^ (std::uint64_t{1} << 63U);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xFFFFU,
                     high & 0xFFFFU, value.low >> 48U, value.low & 0xFFFFFFFFFFFFU);
}

// The first byte tells how many bits of the second are padding.
std::string bits_text(std::string_view cell) {
  std::string out;
  if (cell.empty()) return out;
  const auto padding = static_cast<std::size_t>(static_cast<unsigned char>(cell.front()));
  for (std::size_t i = padding; i < (cell.size() - 1) * 8; ++i) {
    const auto byte = static_cast<unsigned char>(cell[1 + i / 8]);
    out += (static_cast<unsigned>(byte) >> (7 - i % 8)) & 1U ? '1' : '0';
  }
  return out;
}

// Three bytes of header (its top bit is set where the number is not negative), then the absolute value, most
// significant byte first; every byte of a negative number is inverted.
std::string bignum_text(std::string_view cell) {
  if (cell.size() < 4) return "0";
  const bool negative = (static_cast<unsigned char>(cell.front()) & 0x80U) == 0;
  std::vector<std::uint8_t> decimal{0};  // Least significant digit first.
  for (const char c : cell.substr(3)) {
    const auto byte = static_cast<unsigned char>(c);
    unsigned carry = negative ? static_cast<unsigned char>(~byte) : byte;
    for (std::uint8_t& digit : decimal) {
      carry += digit * 256U;
      digit = static_cast<std::uint8_t>(carry % 10);
      carry /= 10;
    }
    for (; carry > 0; carry /= 10) decimal.push_back(static_cast<std::uint8_t>(carry % 10));
  }
  std::string out = negative ? "-" : "";
  std::reverse(decimal.begin(), decimal.end());
  for (const std::uint8_t digit : decimal) out += static_cast<char>('0' + digit);
  return out;
}

}  // namespace sluice::render
