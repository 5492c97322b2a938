#pragma once

#include <vector>

#include "sluice/plot/display_list.h"

#include "frame.h"

namespace sluice::plot {

void draw_bars(const Canvas& canvas, std::vector<Shape>& out);
void draw_bins(const Canvas& canvas, std::vector<Shape>& out);   // Of a histogram.
void draw_cells(const Canvas& canvas, std::vector<Shape>& out);  // Of a heat map.
void draw_points(const Canvas& canvas, std::vector<Shape>& out);
void draw_lines(const Canvas& canvas, std::vector<Shape>& out);  // Of lines and areas.

// The least and the greatest value of the cells of a heat map.
Range value_range(const Chart& chart);

// What the colours of a heat map mean, right of the frame.
inline constexpr double kColorBarWidth = 74;
void draw_color_bar(const Canvas& canvas, std::vector<Shape>& out);

// The name of a series as a mark has it; empty if there is only one without a name.
std::string series_label(const Chart& chart, std::size_t series);

// The largest and smallest sums of stacked marks.
Range stacked_range(const Chart& chart);

}  // namespace sluice::plot
