#pragma once

#include <cstddef>
#include <string_view>

namespace sluice {

// For text in UTF-8. Other bytes do no harm, but may be cut anywhere.

// Whether the byte is within a character and does not begin one.
constexpr bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t count_characters(std::string_view text);
// The beginning of `text`: at most that many bytes or characters, and whole characters only.
std::string_view first_bytes(std::string_view text, std::size_t bytes_max);
std::string_view first_characters(std::string_view text, std::size_t characters_max);

}  // namespace sluice
