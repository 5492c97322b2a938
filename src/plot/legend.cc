#include "legend.h"

#include <algorithm>

#include "sluice/plot/label.h"

#include "frame.h"
#include "markers.h"
#include "text_width.h"

namespace sluice::plot {

namespace {

constexpr double kLegendSize = 12;
constexpr double kRowHeight = 20;
constexpr double kSampleWidth = 22;
constexpr double kSpace = 18;  // Between entries.
constexpr double kNameWidthMax = 180;

void draw_sample(const Chart& chart, std::size_t series, Point at, std::vector<Shape>& out) {
  const Color color = series_color(series);
  if (chart.kind == Kind::kBar || chart.kind == Kind::kHistogram) {
    out.push_back(
        {.form = RectShape{.x = at.x, .y = at.y - 6, .width = 12, .height = 12, .fill = color}, .mark = {}});
    return;
  }
  if (chart.kind != Kind::kPoint) {
    out.push_back(
        {.form = PathShape{.steps = {{true, {at.x, at.y}}, {false, {at.x + kSampleWidth - 4, at.y}}},
                           .stroke = color,
                           .width = 2,
                           .dashes = series_dashes(series)},
         .mark = {}});
  }
  const double middle = chart.kind == Kind::kPoint ? 6 : (kSampleWidth - 4) / 2;
  out.push_back({.form = series_marker(series, {at.x + middle, at.y}, 4), .mark = {}});
}

}  // namespace

double draw_legend(const Chart& chart, double top, std::vector<Shape>& out) {
  if (chart.series.size() < 2) return 0;
  const Palette& palette = palette_of(chart.theme);
  double x = kPictureMargin;
  double y = top + kRowHeight / 2;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string name = cut_to_width(label_of(chart.series[i]), kNameWidthMax, kLegendSize);
    const bool has_lines = chart.kind == Kind::kLine || chart.kind == Kind::kArea;
    const double sample = has_lines ? kSampleWidth : kSampleWidth - 4;
    const double width = sample + text_width(name, kLegendSize);
    if (x > kPictureMargin && x + width > chart.width - kPictureMargin) {
      x = kPictureMargin;
      y += kRowHeight;
    }
    draw_sample(chart, i, {x, y}, out);
    out.push_back(
        {.form =
             TextShape{.at = {x + sample, y + 4}, .text = name, .size = kLegendSize, .fill = palette.text},
         .mark = {}});
    x += width + kSpace;
  }
  return y + kRowHeight / 2 + 4 - top;
}

}  // namespace sluice::plot
