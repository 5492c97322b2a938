#include "sluice/text/display.h"

#include <array>

#include <unicode/uchar.h>

#include "utf8.h"

namespace sluice::text {

namespace {

constexpr char32_t kZeroWidthNonJoiner = 0x200C;
constexpr char32_t kZeroWidthJoiner = 0x200D;

bool is_plain_ascii(char c) { return c >= 0x20 && c < 0x7F; }

bool is_joiner(char32_t point) { return point == kZeroWidthNonJoiner || point == kZeroWidthJoiner; }

// Vowels and final consonants of Hangul that are written one by one combine with the consonant before them.
bool is_joining_hangul(char32_t point) {
  return (point >= 0x1160 && point <= 0x11FF) || (point >= 0xD7B0 && point <= 0xD7FB);
}

std::size_t width_of(char32_t point) {
  if (point < 0x300) return 1;
  if (is_joiner(point) || is_joining_hangul(point)) return 0;
  const auto character = static_cast<UChar32>(point);
  const std::uint32_t category = U_MASK(u_charType(character));
  if ((category & (U_GC_MN_MASK | U_GC_ME_MASK)) != 0) return 0;
  const int width = u_getIntPropertyValue(character, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

bool is_dangerous(char32_t point) {
  if (point < 0x20 || (point >= 0x7F && point < 0xA0)) return true;
  if (point < 0xAD || is_joiner(point)) return false;
  constexpr std::uint32_t kUnseen = U_GC_CC_MASK | U_GC_CF_MASK | U_GC_ZL_MASK | U_GC_ZP_MASK;
  return (U_MASK(u_charType(static_cast<UChar32>(point))) & kUnseen) != 0;
}

void append_unit(std::string& out, char32_t unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kDigits[(unit >> shift) & 0xFU];
}

void append_escaped(std::string& out, char32_t point) {
  if (point == '\n') {
    out += "\\n";
  } else if (point == '\r') {
    out += "\\r";
  } else if (point == '\t') {
    out += "\\t";
  } else if (point < 0x10000) {
    append_unit(out, point);
  } else {
    append_unit(out, 0xD800U + ((point - 0x10000U) >> 10U));
    append_unit(out, 0xDC00U + ((point - 0x10000U) & 0x3FFU));
  }
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) width += width_of(decode(text, at));
  return width;
}

std::string_view cut_to_width(std::string_view text, std::size_t columns) {
  std::size_t width = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end;
    width += width_of(decode(text, next));
    if (width > columns) break;
    end = next;
  }
  return text.substr(0, end);
}

std::string make_visible(std::string_view text, LineBreaks line_breaks) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    if (is_plain_ascii(text[at])) {
      out += text[at++];
      continue;
    }
    const std::size_t begin = at;
    const char32_t point = decode(text, at);
    const bool is_kept = line_breaks == LineBreaks::kKeep && (point == '\n' || point == '\t');
    if (!is_kept && is_dangerous(point)) {
      append_escaped(out, point);
    } else if (point == kReplacement) {
      std::array<char, 4> bytes{};
      out.append(bytes.data(), encode(kReplacement, bytes.data()));
    } else {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, ",");
  return out;
}

}  // namespace sluice::text
