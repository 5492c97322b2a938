#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice {

// ASCII only, whatever the locale.
bool equal_ignoring_case(std::string_view a, std::string_view b);
std::string to_lower_ascii(std::string_view text);
std::string_view trim_spaces(std::string_view text);  // Spaces and tabs, as HTTP's OWS.

bool is_valid_utf8(std::string_view text);

// `text` cut to at most `bytes_max` bytes at a character boundary, with "…" appended where something was cut.
// Control, zero-width and direction characters become spaces, and a byte that is not UTF-8 a '?': what comes
// from a peer may go into a message, but may not shape it.
std::string excerpt(std::string_view text, std::size_t bytes_max = 80);

// `text` with the characters that `excerpt` makes spaces written as %0A and the like, and nothing else
// changed: a name that can be shown, of a file whose own name cannot. `text` must be UTF-8.
std::string encode_controls(std::string_view text);

// `text` without the characters that `excerpt` makes spaces, except for line ends and tabs; a byte that is
// not UTF-8 becomes a '?'. For whole values that come from somewhere else.
std::string strip_controls(std::string_view text);

// The candidate nearest to `wrong` by edit distance, or "" where none is near enough to be a slip.
std::string nearest_name(std::string_view wrong, std::span<const std::string> candidates);

}  // namespace sluice
