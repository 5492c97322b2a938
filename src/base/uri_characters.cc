#include "uri_characters.h"

#include <array>

#include "sluice/base/text.h"

namespace sluice {
namespace {

std::size_t encoded_length(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

}  // namespace

std::optional<UriByte> uri_byte_at(std::string_view uri, std::size_t at) {
  if (at >= uri.size()) return std::nullopt;
  if (uri[at] != '%') return UriByte{.byte = uri[at], .escaped = false, .end = at + 1};
  if (!escape_at(uri, at)) return std::nullopt;
  return UriByte{.byte = escaped_byte(uri, at), .escaped = true, .end = at + 3};
}

std::optional<std::size_t> character_end(std::string_view uri, std::size_t at, std::string_view excluded) {
  const std::optional<UriByte> lead = uri_byte_at(uri, at);
  if (!lead) return std::nullopt;
  if (!lead->escaped && is_ascii(lead->byte)) {
    if (!is_unreserved(lead->byte) && !is_reserved(lead->byte)) return std::nullopt;
    if (excluded.find(lead->byte) != std::string_view::npos) return std::nullopt;
  }
  std::array<char, 4> bytes{lead->byte};
  std::size_t end = lead->end;
  const std::size_t length = encoded_length(lead->byte);
  for (std::size_t i = 1; i < length; ++i) {
    const std::optional<UriByte> byte = uri_byte_at(uri, end);
    if (!byte) return std::nullopt;
    bytes[i] = byte->byte;
    end = byte->end;
  }
  if (!is_valid_utf8(std::string_view(bytes.data(), length))) return std::nullopt;
  return end;
}

std::size_t characters_end(std::string_view uri, std::size_t at, std::string_view excluded) {
  while (const std::optional<std::size_t> end = character_end(uri, at, excluded)) at = *end;
  return at;
}

std::string decode_characters(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::size_t at = 0;
  while (const std::optional<UriByte> byte = uri_byte_at(text, at)) {
    out.push_back(byte->byte);
    at = byte->end;
  }
  return out;
}

}  // namespace sluice
