#include "biff_text.h"

namespace sluice::sheets {

namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

}  // namespace

void append_utf8(std::string& to, std::uint32_t character) {
  const auto put = [&](std::uint32_t byte) { to += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto put_rest = [&](unsigned shift) { put(0x80U | ((character >> shift) & 0x3FU)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0U | (character >> 6U));
    put_rest(0);
  } else if (character < 0x10000) {
    put(0xE0U | (character >> 12U));
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0U | (character >> 18U));
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
}

void UnitsToUtf8::add(std::string& to, std::uint16_t unit) {
  const bool is_second = unit >= 0xDC00 && unit < 0xE000;
  if (high_ != 0 && is_second) {
    const std::uint32_t upper = std::uint32_t{high_} - 0xD800U;
    append_utf8(to, 0x10000U + (upper << 10U) + (unit - 0xDC00U));
    high_ = 0;
    return;
  }
  finish(to);
  if (unit >= 0xD800 && unit < 0xDC00) {
    high_ = unit;
  } else if (unit != 0) {
    append_utf8(to, is_second ? kReplacement : unit);
  }
}

void UnitsToUtf8::finish(std::string& to) {
  if (high_ != 0) append_utf8(to, kReplacement);
  high_ = 0;
}

}  // namespace sluice::sheets
