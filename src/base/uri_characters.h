#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// The character classes of RFC 3986, section 2, shared by URIs and templates.
inline bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_unreserved(char c) {
  return is_alpha(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~';
}
inline bool is_reserved(char c) {
  return std::string_view(":/?#[]@!$&'()*+,;=").find(c) != std::string_view::npos;
}
inline bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

inline std::optional<unsigned> hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// Whether text[at] is a '%' followed by two hex digits.
inline bool escape_at(std::string_view text, std::size_t at) {
  return at + 2 < text.size() && text[at] == '%' && hex_value(text[at + 1]) && hex_value(text[at + 2]);
}

// The byte that the escape at text[at] stands for. Only where escape_at(text, at).
inline char escaped_byte(std::string_view text, std::size_t at) {
  return static_cast<char>(*hex_value(text[at + 1]) << 4 | *hex_value(text[at + 2]));
}

inline void append_escape(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out.push_back('%');
  out.push_back(kHex[byte >> 4]);
  out.push_back(kHex[byte & 15]);
}

// One byte of a URI, whether it is written as itself or as an escape.
struct UriByte {
  char byte = 0;
  bool escaped = false;
  std::size_t end = 0;  // The position behind it.
};

// Nothing at the end of `uri` and where an escape is broken.
std::optional<UriByte> uri_byte_at(std::string_view uri, std::size_t at);

// Where the character at `at` ends, or nothing where none stands there: a broken escape, broken UTF-8, or one
// of the `excluded` characters unescaped. A character is taken whole, escaped or not, so that no value can
// begin or end inside one and every value is valid UTF-8.
std::optional<std::size_t> character_end(std::string_view uri, std::size_t at, std::string_view excluded);

// Where the longest run of such characters ends; `at` where there is none.
std::size_t characters_end(std::string_view uri, std::size_t at, std::string_view excluded);

// Percent-decodes text that consists of whole characters.
std::string decode_characters(std::string_view text);

}  // namespace sluice
