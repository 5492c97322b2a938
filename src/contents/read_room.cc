#include "sluice/contents/read_room.h"

#include <algorithm>

#include "sluice/base/utf8.h"

#include "character_boundary.h"

namespace sluice::contents {

namespace {

// As json::append_string writes it.
std::size_t escaped_bytes(char c) {
  constexpr std::size_t kShortEscape = 2;    // \"
  constexpr std::size_t kUnicodeEscape = 6;  // \u0001
  if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t') return kShortEscape;
  return static_cast<unsigned char>(c) < ' ' ? kUnicodeEscape : 1;
}

}  // namespace

std::size_t read_room(const catalog::Context& context) {
  return std::max<std::size_t>(context.budget().bytes, kRoomBytesMin);
}

std::size_t json_string_bytes(std::string_view text) {
  std::size_t bytes = 0;
  for (const char c : text) bytes += escaped_bytes(c);
  return bytes;
}

std::size_t json_string_prefix(std::string_view text, std::size_t room) {
  std::size_t fits = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && continues_character(text[end])) ++end;
    const std::size_t bytes = end - at == 1 ? escaped_bytes(text[at]) : end - at;
    if (bytes > room) return fits;
    room -= bytes;
    fits = at = end;
  }
  return fits;
}

}  // namespace sluice::contents
