#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Text on a terminal: how many columns it takes, and how to keep it from acting on the terminal.
namespace sluice::text {

// The columns that a terminal needs for `text`, which has no control characters: two for East Asian wide
// characters and emoji, none for marks that combine with the character before, one for all others.
std::size_t display_width(std::string_view text);

// The longest beginning of `text` that takes at most `columns` columns. It ends behind the marks that belong
// to its last character.
std::string_view cut_to_width(std::string_view text, std::size_t columns);

enum class LineBreaks : std::uint8_t {
  kEscape,  // For one cell of a table.
  kKeep,    // For text of several lines; tabs are kept as well.
};

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number);

// `text` with every character that moves the cursor, changes the terminal or the direction of writing, or
// cannot be seen, written as in JSON (\n, \u001b, \u202e). The joiners of emoji and of scripts that need them
// stay. A byte that is not UTF-8 becomes U+FFFD.
std::string make_visible(std::string_view text, LineBreaks line_breaks);

}  // namespace sluice::text
