#pragma once

#include "axis_scale.h"

namespace sluice::plot {

inline constexpr double kPictureMargin = 16;  // Pixels.

// The rectangle that the marks are drawn in.
struct Frame {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

// What the parts of a picture are drawn with.
struct Canvas {
  const Chart& chart;
  const Palette& palette;
  AxisScale x;
  AxisScale y;
  Frame frame;
};

}  // namespace sluice::plot
