#pragma once

#include <variant>
#include <vector>

#include "sluice/plot/display_list.h"

namespace sluice::plot {

// How the line of a series is dashed: the first eight are told apart by colour too.
std::vector<double> series_dashes(std::size_t series);

// The shape that stands for a point of a series.
decltype(Shape::form) series_marker(std::size_t series, Point center, double radius);

}  // namespace sluice::plot
