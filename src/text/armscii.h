#pragma once

#include <array>
#include <cstddef>

#include "utf8.h"

namespace sluice::text {

// ARMSCII-8, the Armenian standard AST 34.002, which ICU does not know. The table agrees with glibc's.
inline constexpr std::array<char32_t, 18> kArmsciiSigns = {
    0x00A0, kReplacement, 0x0587, 0x0589, ')',    '(',    0x00BB, 0x00AB, 0x2014,
    '.',    0x055D,       ',',    '-',    0x058A, 0x2026, 0x055C, 0x055B, 0x055E,
};  // From 0xA0 on.

inline char32_t from_armscii(unsigned char byte) {
  constexpr unsigned char kFirstSign = 0xA0;
  constexpr unsigned char kFirstLetter = 0xB2;  // From here capital and small letters take turns.
  constexpr unsigned char kLastLetter = 0xFD;
  if (byte < kFirstSign) return byte;
  if (byte < kFirstLetter) return kArmsciiSigns[static_cast<std::size_t>(byte - kFirstSign)];
  if (byte <= kLastLetter) {
    const char32_t letter = static_cast<char32_t>(byte - kFirstLetter) / 2;
    return (byte % 2 == 0 ? 0x0531 : 0x0561) + letter;
  }
  return byte == 0xFE ? char32_t{0x055A} : kReplacement;
}

}  // namespace sluice::text
