#include "sluice/plot/label.h"

#include "utf8.h"

namespace sluice::plot {

namespace {

bool is_white(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0d) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

// Controls, directions, what cannot be seen, and what XML cannot hold.
bool is_hidden(char32_t c) {
  if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) return true;
  if (c == 0xad || c == 0x61c || c == 0x180e || c == 0x200b || c == 0x200e || c == 0x200f) return true;
  if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f)) return true;
  if (c == 0xfeff || (c >= 0xfff0 && c <= 0xfffb) || (c & 0xfffeU) == 0xfffe) return true;
  if (c >= 0xfdd0 && c <= 0xfdef) return true;
  return c >= 0xe0000 && c <= 0xe0fff;
}

}  // namespace

std::string label_of(std::string_view text) {
  std::string out;
  std::size_t characters = 0;
  bool is_gap = false;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character next = utf8_character(text, at);
    const std::string_view bytes = text.substr(at, next.bytes);
    at += next.bytes;
    if (is_white(next.value)) {
      is_gap = !out.empty();
      continue;
    }
    if (is_hidden(next.value)) continue;
    if (characters + (is_gap ? 1 : 0) >= kLabelCharactersMax) {
      out += "…";
      break;
    }
    if (is_gap) {
      out += ' ';
      ++characters;
      is_gap = false;
    }
    out += next.value == 0xfffd ? std::string_view("\ufffd") : bytes;
    ++characters;
  }
  return out.empty() ? "(empty)" : out;
}

}  // namespace sluice::plot
