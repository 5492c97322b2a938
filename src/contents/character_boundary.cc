#include "character_boundary.h"

#include "sluice/base/utf8.h"

namespace sluice::contents {

namespace {

std::size_t utf8_start(std::string_view bytes, std::size_t at) {
  for (std::size_t back = 0; back <= kLookBackBytes && back <= at; ++back) {
    if (!continues_character(bytes[at - back])) return at - back;
  }
  return at;
}

// The second half of a pair of surrogates begins with 0xDC to 0xDF.
std::size_t utf16_start(std::string_view bytes, std::size_t at, std::size_t high_byte, std::uint64_t offset) {
  const std::size_t odd = (offset + at) % 2;
  if (odd > at) return at;
  const std::size_t unit = at - odd;
  if (unit < 2 || unit + high_byte >= bytes.size()) return unit;
  const auto high = static_cast<unsigned char>(bytes[unit + high_byte]);
  return (high & 0xFCU) == 0xDCU ? unit - 2 : unit;
}

}  // namespace

std::size_t character_start(std::string_view bytes, std::size_t at, std::string_view charset,
                            std::uint64_t offset) {
  if (at >= bytes.size()) return at;
  if (charset == "UTF-8") return utf8_start(bytes, at);
  if (charset == "UTF-16LE") return utf16_start(bytes, at, 1, offset);
  if (charset == "UTF-16BE") return utf16_start(bytes, at, 0, offset);
  return at;
}

}  // namespace sluice::contents
