#pragma once

#include <vector>

#include "sluice/plot/chart.h"
#include "sluice/plot/display_list.h"

namespace sluice::plot {

// The names of the series beside their colours, dashes and shapes, in rows from `top` on. Returns the height
// that they take; zero if there is one series.
double draw_legend(const Chart& chart, double top, std::vector<Shape>& out);

}  // namespace sluice::plot
