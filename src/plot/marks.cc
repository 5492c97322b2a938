#include "marks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "sluice/plot/label.h"
#include "sluice/plot/number_text.h"

#include "markers.h"

namespace sluice::plot {

namespace {

constexpr double kBandShare = 0.8;  // Of a category's room is for its bars.
constexpr double kBarWidthMax = 120;

MarkLabel mark_label(const Chart& chart, const Mark& mark) {
  return {.x = value_text(chart.x, mark.x),
          .y = value_text(chart.y, mark.y),
          .series = series_label(chart, mark.series)};
}

// From a pixel to another, at least a hairline wide, so that small values can be seen.
RectShape span_rect(double left, double right, double from, double to, Color fill) {
  const double top = std::min(from, to);
  return {.x = left, .y = top, .width = right - left, .height = std::abs(from - to), .fill = fill};
}

// The sums of the stacked bars and areas so far, above and below zero.
struct Stack {
  double above = 0;
  double below = 0;

  // Where the next value begins; adds it.
  double put(double value) {
    double& sum = value < 0 ? below : above;
    const double begin = sum;
    sum += value;
    return begin;
  }
};

}  // namespace

std::string series_label(const Chart& chart, std::size_t series) {
  return series < chart.series.size() ? label_of(chart.series[series]) : "";
}

Range stacked_range(const Chart& chart) {
  std::map<double, Stack> stacks;
  Range out;
  for (const Mark& mark : chart.marks) {
    if (std::isnan(mark.y)) continue;
    Stack& stack = stacks[mark.x];
    stack.put(mark.y);
    out = {std::min(out.low, stack.below), std::max(out.high, stack.above)};
  }
  return out;
}

void draw_bars(const Canvas& canvas, std::vector<Shape>& out) {
  const Chart& chart = canvas.chart;
  const std::size_t groups = chart.is_stacked ? 1 : std::max<std::size_t>(1, chart.series.size());
  const double width = std::min(canvas.x.band() * kBandShare, kBarWidthMax * static_cast<double>(groups));
  const double each = width / static_cast<double>(groups);
  std::map<double, Stack> stacks;
  for (const Mark& mark : chart.marks) {
    if (std::isnan(mark.y) || !canvas.x.shows(mark.x)) continue;
    if (canvas.y.is_log() && mark.y <= 0) continue;
    const std::size_t group = chart.is_stacked ? 0 : mark.series;
    const double left = canvas.x.pixel(mark.x) - width / 2 + static_cast<double>(group) * each;
    double from = canvas.y.base();
    double to = canvas.y.clamped_pixel(mark.y);
    if (chart.is_stacked) {
      const double begin = stacks[mark.x].put(mark.y);
      from = begin == 0 ? from : canvas.y.clamped_pixel(begin);
      to = canvas.y.clamped_pixel(begin + mark.y);
    }
    out.push_back({.form = span_rect(left, left + std::max(each - (groups > 1 ? 1 : 0), 0.5), from, to,
                                     series_color(mark.series)),
                   .mark = mark_label(chart, mark)});
  }
}

void draw_bins(const Canvas& canvas, std::vector<Shape>& out) {
  const Chart& chart = canvas.chart;
  for (const Mark& mark : chart.marks) {
    if (canvas.y.is_log() && mark.y <= 0) continue;
    if (mark.x_end <= canvas.x.domain().low || mark.x >= canvas.x.domain().high) continue;
    const double left = canvas.x.clamped_pixel(mark.x);
    const double right = canvas.x.clamped_pixel(mark.x_end);
    const double gap = right - left > 4 ? 1 : 0;
    MarkLabel label = mark_label(chart, mark);
    label.x += " to " + value_text(chart.x, mark.x_end);
    out.push_back({.form = span_rect(left + gap / 2, right - gap / 2, canvas.y.base(),
                                     canvas.y.clamped_pixel(mark.y), series_color(mark.series)),
                   .mark = std::move(label)});
  }
}

Range value_range(const Chart& chart) {
  Range out{INFINITY, -INFINITY};
  for (const Mark& mark : chart.marks) {
    if (std::isnan(mark.value)) continue;
    out = {std::min(out.low, mark.value), std::max(out.high, mark.value)};
  }
  return out.low <= out.high ? out : Range{0, 0};
}

void draw_cells(const Canvas& canvas, std::vector<Shape>& out) {
  const Chart& chart = canvas.chart;
  const Range values = value_range(chart);
  const auto edges = [](const Axis& axis, const AxisScale& scale, double begin, double end) {
    if (axis.type == AxisType::kCategory) {
      begin -= 0.5;
      end = begin + 1;
    }
    const double a = scale.clamped_pixel(begin);
    const double b = scale.clamped_pixel(end);
    return Range{std::min(a, b), std::max(a, b)};
  };
  for (const Mark& mark : chart.marks) {
    if (std::isnan(mark.value)) continue;
    const Range across = edges(chart.x, canvas.x, mark.x, mark.x_end);
    const Range down = edges(chart.y, canvas.y, mark.y, mark.y_end);
    // Wide cells have a gap between them; narrow ones overlap by a little, so that no background shows.
    const double gap = across.high - across.low > 12 && down.high - down.low > 12 ? 1 : -0.3;
    const double share =
        values.high > values.low ? (mark.value - values.low) / (values.high - values.low) : 1;
    MarkLabel label{.x = value_text(chart.x, mark.x),
                    .y = value_text(chart.y, mark.y),
                    .series = exact_number(mark.value)};
    if (chart.x.type != AxisType::kCategory) label.x += " to " + value_text(chart.x, mark.x_end);
    if (chart.y.type != AxisType::kCategory) label.y += " to " + value_text(chart.y, mark.y_end);
    out.push_back({.form = RectShape{.x = across.low,
                                     .y = down.low,
                                     .width = std::max(across.high - across.low - gap, 0.5),
                                     .height = std::max(down.high - down.low - gap, 0.5),
                                     .fill = heat_color(chart.theme, share)},
                   .mark = std::move(label)});
  }
}

void draw_points(const Canvas& canvas, std::vector<Shape>& out) {
  const Chart& chart = canvas.chart;
  constexpr std::size_t kFew = 300;
  constexpr std::size_t kMany = 1'500;
  const std::size_t count = chart.marks.size();
  const double radius = count <= kFew ? 3.5 : count <= kMany ? 2.5 : 1.6;
  for (const Mark& mark : chart.marks) {
    if (std::isnan(mark.y) || !canvas.x.shows(mark.x) || !canvas.y.shows(mark.y)) continue;
    const Point at{canvas.x.pixel(mark.x), canvas.y.pixel(mark.y)};
    out.push_back({.form = series_marker(mark.series, at, radius), .mark = mark_label(chart, mark)});
  }
}

}  // namespace sluice::plot
