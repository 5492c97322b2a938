#pragma once

#include <string>
#include <string_view>

namespace sluice::plot {

// No picture shows more of a text than this.
inline constexpr std::size_t kLabelCharactersMax = 200;

// Text from data as a picture may show it: one line of UTF-8 without control, zero-width and direction
// characters, of at most kLabelCharactersMax characters, with "…" where it was longer. Runs of white space
// are one space. Joiners stay, because scripts need them. The empty text is "(empty)".
std::string label_of(std::string_view text);

}  // namespace sluice::plot
