#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::plot {

struct Utf8Character {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// The character that begins at `at`, which is within `text`. A byte that begins none is U+FFFD.
inline Utf8Character utf8_character(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char head = byte(0);
  if (head < 0x80) return {head, 1};
  const std::size_t bytes = head >= 0xf0 ? 4 : head >= 0xe0 ? 3 : 2;
  constexpr Utf8Character kBroken{0xfffd, 1};
  if (head < 0xc2 || head > 0xf4 || at + bytes > text.size()) return kBroken;
  char32_t value = head & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return kBroken;
    value = (value << 6U) | (byte(i) & 0x3fU);
  }
  const bool is_overlong = (bytes == 3 && value < 0x800) || (bytes == 4 && value < 0x10000);
  if (is_overlong || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return kBroken;
  return {value, bytes};
}

}  // namespace sluice::plot
