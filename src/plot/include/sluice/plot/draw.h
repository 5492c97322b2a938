#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/plot/chart.h"
#include "sluice/plot/display_list.h"

namespace sluice::plot {

// Lays the chart out. Marks outside the ranges of the axes are left out; a logarithmic axis leaves out
// everything that is not positive. Equal charts have equal lists.
DisplayList draw(const Chart& chart);

// The picture as SVG 1.1: svg, g, rect, path, circle, line, text, title and desc with presentation
// attributes, and data-x, data-y and data-series on marks. No script, style, link, entity or id.
std::string to_svg(const DisplayList& list);

struct Png {
  std::string bytes;
  std::size_t unknown_characters = 0;  // For which no font has a glyph.
};

// The picture as PNG, `scale` times as large. Pango and cairo are loaded with the first one; kUnavailable
// with the code `png_unavailable` if they cannot be.
Result<Png> to_png(const DisplayList& list, double scale);

// Whether to_png() can work: loads the libraries.
Status check_png();

// Makes the fonts in a folder known to to_png(), beside those of the system.
Status add_fonts(const std::string& folder);

}  // namespace sluice::plot
