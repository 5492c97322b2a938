#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::text {

inline constexpr char32_t kReplacement = 0xFFFD;

// The code point at `at`, which moves behind it. A byte that is no part of valid UTF-8 (overlong forms and
// encoded surrogates included) is U+FFFD and moves `at` by one.
inline char32_t decode(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i) { return i < text.size() && (byte(i) & 0xC0U) == 0x80; };
  const std::size_t start = at++;
  const unsigned lead = byte(start);
  if (lead < 0x80) return lead;
  if (lead < 0xC2 || lead > 0xF4 || !continues(start + 1)) return kReplacement;
  if (lead < 0xE0) {
    at = start + 2;
    return ((lead & 0x1FU) << 6U) | (byte(start + 1) & 0x3FU);
  }
  if (!continues(start + 2)) return kReplacement;
  if (lead < 0xF0) {
    const char32_t point =
        ((lead & 0x0FU) << 12U) | ((byte(start + 1) & 0x3FU) << 6U) | (byte(start + 2) & 0x3FU);
    if (point < 0x800 || (point >= 0xD800 && point <= 0xDFFF)) return kReplacement;
    at = start + 3;
    return point;
  }
  if (!continues(start + 3)) return kReplacement;
  const char32_t point = ((lead & 0x07U) << 18U) | ((byte(start + 1) & 0x3FU) << 12U) |
                         ((byte(start + 2) & 0x3FU) << 6U) | (byte(start + 3) & 0x3FU);
  if (point < 0x10000 || point > 0x10FFFF) return kReplacement;
  at = start + 4;
  return point;
}

// The code points of `text`, at most the first `letters_max` of them.
inline std::u32string decode_letters(std::string_view text, std::size_t letters_max) {
  std::u32string letters;
  for (std::size_t at = 0; at < text.size() && letters.size() < letters_max;)
    letters.push_back(decode(text, at));
  return letters;
}

// Writes `point` as UTF-8 to `out`, which has room for four bytes; returns how many it took.
inline std::size_t encode(char32_t point, char* out) {
  const auto put = [&](std::size_t i, char32_t bits) { out[i] = static_cast<char>(bits); };
  if (point < 0x80) {
    put(0, point);
    return 1;
  }
  if (point < 0x800) {
    put(0, 0xC0U | (point >> 6U));
    put(1, 0x80U | (point & 0x3FU));
    return 2;
  }
  if (point < 0x10000) {
    put(0, 0xE0U | (point >> 12U));
    put(1, 0x80U | ((point >> 6U) & 0x3FU));
    put(2, 0x80U | (point & 0x3FU));
    return 3;
  }
  put(0, 0xF0U | (point >> 18U));
  put(1, 0x80U | ((point >> 12U) & 0x3FU));
  put(2, 0x80U | ((point >> 6U) & 0x3FU));
  put(3, 0x80U | (point & 0x3FU));
  return 4;
}

// Characters, counted by the bytes that begin one.
inline std::size_t letters(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80 ? 1U : 0U;
  return count;
}

}  // namespace sluice::text
