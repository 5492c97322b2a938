#include "answer/text_room.h"

#include <algorithm>

namespace sluice::ckan {

namespace {

constexpr std::uint64_t kBytesPerToken = 4;

}  // namespace

std::size_t utf16_units(std::string_view text) {
  std::size_t units = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    units += ((byte & 0xC0U) != 0x80U ? 1U : 0U) + (byte >= 0xF0U ? 1U : 0U);
  }
  return units;
}

TextRoom TextRoom::without(std::string_view text) const {
  return {.units = units - std::min(units, utf16_units(text)), .bytes = bytes - std::min(bytes, text.size())};
}

TextRoom text_room(std::size_t characters_max, const Budget& budget) {
  const std::uint64_t bytes = std::min(budget.bytes, budget.tokens * kBytesPerToken);
  return {.units = characters_max, .bytes = static_cast<std::size_t>(bytes)};
}

}  // namespace sluice::ckan
