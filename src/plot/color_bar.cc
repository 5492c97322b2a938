#include <algorithm>

#include "sluice/plot/label.h"

#include "marks.h"
#include "text_width.h"
#include "tick_labels.h"

namespace sluice::plot {

void draw_color_bar(const Canvas& canvas, std::vector<Shape>& out) {
  const Range values = value_range(canvas.chart);
  constexpr int kSteps = 40;
  constexpr double kBarWidth = 12;
  const double left = canvas.frame.right + 14;
  const double height = canvas.frame.bottom - canvas.frame.top;
  for (int i = 0; i < kSteps; ++i) {
    const double share = (kSteps - i - 0.5) / kSteps;
    out.push_back({.form = RectShape{.x = left,
                                     .y = canvas.frame.top + height * i / kSteps,
                                     .width = kBarWidth,
                                     .height = height / kSteps + 0.3,
                                     .fill = heat_color(canvas.chart.theme, share)},
                   .mark = {}});
  }
  const auto label = [&](double y, std::string text) {
    out.push_back({.form = TextShape{.at = {left + kBarWidth + 4, y},
                                     .text = cut_to_width(text, kColorBarWidth - 32, kTickSize),
                                     .size = kTickSize,
                                     .fill = canvas.palette.quiet_text},
                   .mark = {}});
  };
  if (!(values.high > values.low)) {
    label(canvas.frame.top + 10, linear_ticks(nice_range(values, false), false)[0].label);
    return;
  }
  for (const Tick& tick : linear_ticks(values, false)) {
    const double share = (tick.at - values.low) / (values.high - values.low);
    label(canvas.frame.bottom - share * height + 4, tick.label);
  }
}

}  // namespace sluice::plot
