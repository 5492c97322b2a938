#pragma once

#include <string>
#include <string_view>

namespace sluice::plot {

// The width of a line of text in DejaVu Sans, in pixels at a font size in pixels. Characters that the font
// lacks count as wide as they usually are. `text` is UTF-8.
double text_width(std::string_view text, double size);

// `text` if it is at most `width` wide, else the beginning that fits with "…" behind it. Marks that combine
// with a character stay with it.
std::string cut_to_width(std::string_view text, double width, double size);

}  // namespace sluice::plot
