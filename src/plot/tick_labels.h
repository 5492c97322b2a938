#pragma once

#include <vector>

#include "sluice/plot/display_list.h"

#include "frame.h"

namespace sluice::plot {

inline constexpr double kTickSize = 12;  // Pixels, of their text.

// How the labels of the horizontal axis are set so that none is over another.
struct TickRow {
  bool is_turned = false;
  double line_width = 0;  // Longer labels are broken into lines; 0: each is one line.
  std::size_t every = 1;  // Each so many-th tick has a label.
  double height = 0;      // Of all labels.
};
// `scale` is placed.
TickRow lay_out_ticks(const AxisScale& scale);

// The widest label of the vertical axis, at most `most`.
double tick_column_width(const AxisScale& scale, double most);

// Grid, axes and their labels.
void draw_axes(const Canvas& canvas, const TickRow& row, std::vector<Shape>& out);

}  // namespace sluice::plot
