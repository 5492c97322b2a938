#include "text_width.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "sluice/text/display.h"

#include "utf8.h"

namespace sluice::plot {

namespace {

constexpr std::uint16_t kAdvances[] = {
#include "advances.inc"
};
constexpr double kUnitsPerEm = 2048;
constexpr double kWide = 2048;   // East Asian characters and emoji are squares.
constexpr double kUsual = 1255;  // Of characters that are not in the table: the width of an "o".
constexpr std::string_view kEllipsis = "…";

// The characters of which `kAdvances` has the widths, one range behind the other.
struct CharacterRange {
  char32_t first;
  char32_t last;
};
constexpr std::array<CharacterRange, 4> kRanges = {
    {{0x20, 0x5ff}, {0x600, 0x6ff}, {0x10a0, 0x10ff}, {0x1e00, 0x20bf}}};

constexpr std::size_t characters_in_ranges() {
  std::size_t out = 0;
  for (const CharacterRange& range : kRanges) out += range.last - range.first + 1;
  return out;
}
static_assert(std::size(kAdvances) == characters_in_ranges());

// In units of the font. `bytes` is the character itself.
double advance_of(char32_t character, std::string_view bytes) {
  std::size_t begin = 0;
  for (const CharacterRange& range : kRanges) {
    if (character >= range.first && character <= range.last) {
      const std::uint16_t known = kAdvances[begin + (character - range.first)];
      if (known != 0) return known;
      break;
    }
    begin += range.last - range.first + 1;
  }
  switch (text::display_width(bytes)) {
    case 0:
      return 0;
    case 1:
      return kUsual;
    default:
      return kWide;
  }
}

}  // namespace

double text_width(std::string_view text, double size) {
  double units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character next = utf8_character(text, at);
    units += advance_of(next.value, text.substr(at, next.bytes));
    at += next.bytes;
  }
  return units * size / kUnitsPerEm;
}

std::string cut_to_width(std::string_view text, double width, double size) {
  if (text_width(text, size) <= width) return std::string(text);
  const double room = (width - text_width(kEllipsis, size)) * kUnitsPerEm / size;
  double units = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character next = utf8_character(text, at);
    const double advance = advance_of(next.value, text.substr(at, next.bytes));
    if (units + advance > room) break;
    units += advance;
    at += next.bytes;
    end = at;
  }
  // A space before the ellipsis says nothing.
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

}  // namespace sluice::plot
