#include "sluice/plot/draw.h"

#include <algorithm>
#include <cmath>

#include "sluice/plot/label.h"

#include "frame.h"
#include "legend.h"
#include "marks.h"
#include "text_width.h"
#include "tick_labels.h"

namespace sluice::plot {

namespace {

constexpr double kTitleSize = 16;
constexpr double kNameSize = 12;
constexpr double kNameHeight = 20;

std::string axis_title(const Axis& axis) {
  if (axis.name.empty()) return {};
  const std::string name = label_of(axis.name);
  return axis.unit.empty() ? name : name + " (" + label_of(axis.unit) + ")";
}

Range marks_range(const Chart& chart, const Axis& axis, double Mark::*begin, double Mark::*end) {
  Range out{INFINITY, -INFINITY};
  const bool is_log = axis.type == AxisType::kNumber && axis.scale == Scale::kLog;
  const bool has_end = chart.kind == Kind::kHistogram || chart.kind == Kind::kHeatmap;
  for (const Mark& mark : chart.marks) {
    for (const double value : {mark.*begin, has_end ? mark.*end : mark.*begin}) {
      if (std::isfinite(value) && (!is_log || value > 0))
        out = {std::min(out.low, value), std::max(out.high, value)};
    }
  }
  return out.low <= out.high ? out : Range{0, 1};
}

AxisScale x_scale(const Chart& chart) {
  return {chart.x,
          marks_range(chart, chart.x, &Mark::x, &Mark::x_end),
          {.is_tight = chart.kind != Kind::kPoint,
           .time_ticks_max = std::max<std::size_t>(2, static_cast<std::size_t>(chart.width) / 80)}};
}

AxisScale y_scale(const Chart& chart) {
  const bool is_zero_based =
      chart.kind == Kind::kBar || chart.kind == Kind::kArea || chart.kind == Kind::kHistogram;
  const bool is_tight = chart.kind == Kind::kHeatmap;
  const Range marks = chart.kind == Kind::kHistogram ? marks_range(chart, chart.y, &Mark::y, &Mark::y)
                      : chart.is_stacked             ? stacked_range(chart)
                                                     : marks_range(chart, chart.y, &Mark::y, &Mark::y_end);
  return {chart.y,
          marks,
          {.is_zero_based = is_zero_based,
           .is_tight = is_tight,
           .time_ticks_max = std::max<std::size_t>(2, static_cast<std::size_t>(chart.height) / 30)}};
}

void draw_marks(const Canvas& canvas, std::vector<Shape>& out) {
  switch (canvas.chart.kind) {
    case Kind::kBar:
      return draw_bars(canvas, out);
    case Kind::kLine:
    case Kind::kArea:
      return draw_lines(canvas, out);
    case Kind::kPoint:
      return draw_points(canvas, out);
    case Kind::kHistogram:
      return draw_bins(canvas, out);
    case Kind::kHeatmap:
      draw_color_bar(canvas, out);
      return draw_cells(canvas, out);
  }
}

class Drawing {
 public:
  explicit Drawing(const Chart& chart)
      : palette_(palette_of(chart.theme)),
        canvas_{.chart = chart, .palette = palette_, .x = x_scale(chart), .y = y_scale(chart), .frame = {}} {
    list_.width = chart.width;
    list_.height = chart.height;
    list_.background = palette_.background;
    list_.title = chart.title.empty() ? "" : label_of(chart.title);
    list_.description = chart.description.empty() ? "" : label_of(chart.description);
  }

  DisplayList draw() {
    draw_head();
    const TickRow row = lay_out();
    draw_axes(canvas_, row, list_.shapes);
    draw_marks(canvas_, list_.shapes);
    draw_base_line();
    draw_foot();
    return std::move(list_);
  }

 private:
  void text(Point at, std::string_view words, double size, Anchor anchor, Color fill, double width) {
    list_.shapes.push_back({.form = TextShape{.at = at,
                                              .text = cut_to_width(words, width, size),
                                              .size = size,
                                              .anchor = anchor,
                                              .fill = fill},
                            .mark = {}});
  }

  // Title, legend and the name of the vertical axis.
  void draw_head() {
    const Chart& chart = canvas_.chart;
    const double width = chart.width - 2 * kPictureMargin;
    double top = kPictureMargin;
    if (!list_.title.empty()) {
      text({kPictureMargin, top + kTitleSize - 3}, list_.title, kTitleSize, Anchor::kStart, palette_.text,
           width);
      top += kTitleSize + 10;
    }
    top += draw_legend(chart, top, list_.shapes);
    std::string name = axis_title(chart.y);
    if (chart.kind == Kind::kHeatmap && !chart.value_name.empty()) {
      const std::string value = label_of(chart.value_name);
      const double at = chart.width - kPictureMargin;
      text({at, top + kNameSize - 2}, value, kNameSize, Anchor::kEnd, palette_.text, width / 2);
      if (name.empty()) name = " ";
    }
    if (!name.empty()) {
      const double room = chart.kind == Kind::kHeatmap ? width / 2 : width;
      text({kPictureMargin, top + kNameSize - 2}, name, kNameSize, Anchor::kStart, palette_.text, room);
      top += kNameHeight;
    }
    canvas_.frame.top = top + 4;
  }

  TickRow lay_out() {
    const Chart& chart = canvas_.chart;
    Frame& frame = canvas_.frame;
    frame.left = kPictureMargin + tick_column_width(canvas_.y, chart.width * 0.3) + 6;
    frame.right = chart.width - kPictureMargin - (chart.kind == Kind::kHeatmap ? kColorBarWidth : 4);
    canvas_.x.place(frame.left, frame.right);
    const TickRow row = lay_out_ticks(canvas_.x);
    const double name = axis_title(chart.x).empty() ? 0 : kNameHeight;
    // A small picture with long labels keeps half of its height for the marks.
    frame.bottom = std::max(chart.height - 8 - name - row.height, frame.top + chart.height * 0.3);
    // Names are read from the top.
    const bool is_list = chart.y.type == AxisType::kCategory;
    canvas_.y.place(is_list ? frame.top : frame.bottom, is_list ? frame.bottom : frame.top);
    return row;
  }

  void draw_base_line() {
    const Frame& frame = canvas_.frame;
    if (canvas_.chart.kind == Kind::kHeatmap) return;
    const bool is_at_zero = canvas_.chart.y.type == AxisType::kNumber && canvas_.y.shows(0);
    const double y = std::floor(is_at_zero ? canvas_.y.base() : frame.bottom) + 0.5;
    list_.shapes.push_back(
        {.form = LineShape{.from = {frame.left, y}, .to = {frame.right, y}, .stroke = palette_.axis},
         .mark = {}});
  }

  void draw_foot() {
    const std::string name = axis_title(canvas_.chart.x);
    if (name.empty()) return;
    const double width = canvas_.chart.width - 2 * kPictureMargin;
    const double middle = std::clamp((canvas_.frame.left + canvas_.frame.right) / 2, width / 2, width);
    text({middle, canvas_.chart.height - 10.0}, name, kNameSize, Anchor::kMiddle, palette_.text,
         2 * (canvas_.chart.width - kPictureMargin - middle));
  }

  const Palette& palette_;
  Canvas canvas_;
  DisplayList list_;
};

}  // namespace

DisplayList draw(const Chart& chart) {
  Chart drawable = chart;
  const auto is_outside = [](double value) { return !(std::abs(value) <= kNumberMax); };
  std::erase_if(drawable.marks,
                [&](const Mark& mark) { return is_outside(mark.x) || is_outside(mark.x_end); });
  for (Mark& mark : drawable.marks) {
    if (is_outside(mark.y)) mark.y = NAN;
    if (is_outside(mark.value)) mark.value = NAN;
  }
  return Drawing(drawable).draw();
}

}  // namespace sluice::plot
