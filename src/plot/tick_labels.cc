#include "tick_labels.h"

#include <algorithm>
#include <cmath>

#include "text_width.h"

namespace sluice::plot {

namespace {

constexpr double kTurn = -40;        // Degrees.
constexpr double kTurnSine = 0.643;  // Of 40 degrees.
constexpr double kTurnCosine = 0.766;
constexpr double kTurnedSpace = 20;      // Between turned labels, along the axis.
constexpr double kTurnedWidthMax = 140;  // Of their text.
constexpr double kGap = 8;               // Between labels that are not turned.
constexpr double kLineHeight = 16;
constexpr double kTickToLabel = 8;
constexpr double kEdge = 6;             // Between labels and the edge of the picture.
constexpr double kBrokenWidthMin = 84;  // Of categories whose labels are broken into lines, not turned.
constexpr std::size_t kLinesMax = 3;

// How much room a turned label has before it leaves the picture on the left.
double turned_room(double x) { return std::min(kTurnedWidthMax, (x - 6) / kTurnCosine); }

bool fits_in_line(const AxisScale& scale, std::size_t every) {
  double free_from = -1e9;
  for (std::size_t i = 0; i < scale.ticks().size(); i += every) {
    const Tick& tick = scale.ticks()[i];
    const double half = text_width(tick.label, kTickSize) / 2;
    const double at = scale.pixel(tick.at);
    if (at - half < free_from) return false;
    free_from = at + half + kGap;
  }
  return true;
}

// The words of a label in at most kLinesMax lines. What does not fit ends with "…".
std::vector<std::string> lines_of(std::string_view label, double width) {
  std::vector<std::string> out(1);
  while (!label.empty()) {
    const std::size_t end = std::min(label.find(' '), label.size());
    const std::string_view word = label.substr(0, end);
    label.remove_prefix(std::min(end + 1, label.size()));
    std::string& line = out.back();
    const std::string longer = line.empty() ? std::string(word) : line + " " + std::string(word);
    if (line.empty() || text_width(longer, kTickSize) <= width || out.size() == kLinesMax) {
      line = longer;
    } else {
      out.emplace_back(word);
    }
  }
  for (std::string& line : out) line = cut_to_width(line, width, kTickSize);
  return out;
}

Shape text_shape(Point at, std::string text, Anchor anchor, Color fill, double turn = 0) {
  return {.form = TextShape{.at = at,
                            .text = std::move(text),
                            .size = kTickSize,
                            .anchor = anchor,
                            .turn = turn,
                            .fill = fill},
          .mark = {}};
}

void draw_horizontal_labels(const Canvas& canvas, const TickRow& row, std::vector<Shape>& out) {
  const auto& ticks = canvas.x.ticks();
  for (std::size_t i = 0; i < ticks.size(); i += row.every) {
    const double x = canvas.x.pixel(ticks[i].at);
    if (row.is_turned) {
      out.push_back(text_shape({x + 4, canvas.frame.bottom + kTickToLabel + 6},
                               cut_to_width(ticks[i].label, turned_room(x), kTickSize), Anchor::kEnd,
                               canvas.palette.quiet_text, kTurn));
      continue;
    }
    double y = canvas.frame.bottom + kTickToLabel + 9;
    const std::vector<std::string> lines = row.line_width > 0 ? lines_of(ticks[i].label, row.line_width)
                                                              : std::vector<std::string>{ticks[i].label};
    for (const std::string& line : lines) {
      // A label at the edge is moved into the picture.
      const double middle = canvas.chart.width / 2.0;
      const double half = text_width(line, kTickSize) / 2 + kEdge;
      const double centered =
          std::clamp(x, std::min(half, middle), std::max(canvas.chart.width - half, middle));
      out.push_back(text_shape({centered, y}, line, Anchor::kMiddle, canvas.palette.quiet_text));
      y += kLineHeight;
    }
  }
}

void draw_vertical_labels(const Canvas& canvas, std::vector<Shape>& out) {
  const double room = canvas.frame.left - kTickToLabel - 2;
  double last = -1e9;
  for (const Tick& tick : canvas.y.ticks()) {
    const double y = canvas.y.pixel(tick.at);
    if (std::abs(y - last) < kLineHeight - 1) continue;  // Categories can be closer than lines of text.
    last = y;
    out.push_back(text_shape({canvas.frame.left - kTickToLabel, y + 4},
                             cut_to_width(tick.label, room, kTickSize), Anchor::kEnd,
                             canvas.palette.quiet_text));
  }
}

}  // namespace

TickRow lay_out_ticks(const AxisScale& scale) {
  TickRow out{.is_turned = false, .every = 1, .height = kTickToLabel + kLineHeight};
  const std::vector<Tick>& ticks = scale.ticks();
  if (ticks.size() < 2 || fits_in_line(scale, 1)) return out;
  const bool is_even = std::abs(ticks[1].at - ticks[0].at - 1) < 1e-9;
  if (!is_even || ticks.size() < 3) {
    while (out.every < ticks.size() && !fits_in_line(scale, out.every)) ++out.every;
    return out;
  }
  const double space = std::abs(scale.pixel(ticks[1].at) - scale.pixel(ticks[0].at));
  if (space >= kBrokenWidthMin) {
    out.line_width = space - kGap;
    std::size_t lines = 1;
    for (const Tick& tick : ticks) lines = std::max(lines, lines_of(tick.label, out.line_width).size());
    out.height += static_cast<double>(lines - 1) * kLineHeight;
    return out;
  }
  out.is_turned = true;
  out.every = static_cast<std::size_t>(std::ceil(kTurnedSpace / space));
  double widest = 0;
  for (std::size_t i = 0; i < ticks.size(); i += out.every) {
    const double width = text_width(ticks[i].label, kTickSize);
    widest = std::max(widest, std::min(width, turned_room(scale.pixel(ticks[i].at))));
  }
  out.height = kTickToLabel + widest * kTurnSine + kLineHeight;
  return out;
}

double tick_column_width(const AxisScale& scale, double most) {
  double widest = 0;
  for (const Tick& tick : scale.ticks()) widest = std::max(widest, text_width(tick.label, kTickSize));
  return std::min(widest, most);
}

void draw_axes(const Canvas& canvas, const TickRow& row, std::vector<Shape>& out) {
  const auto line = [&](Point from, Point to, Color stroke) {
    // Half pixels make lines of one pixel sharp.
    const auto sharp = [](double value) { return std::floor(value) + 0.5; };
    out.push_back({.form = LineShape{.from = {sharp(from.x), sharp(from.y)},
                                     .to = {sharp(to.x), sharp(to.y)},
                                     .stroke = stroke,
                                     .width = 1},
                   .mark = {}});
  };
  const Frame& frame = canvas.frame;
  const Kind kind = canvas.chart.kind;
  if (kind != Kind::kHeatmap) {
    for (const Tick& tick : canvas.y.ticks()) {
      const double y = canvas.y.pixel(tick.at);
      if (canvas.chart.y.type != AxisType::kCategory)
        line({frame.left, y}, {frame.right, y}, canvas.palette.grid);
    }
  }
  if (canvas.chart.x.type != AxisType::kCategory) {
    for (const Tick& tick : canvas.x.ticks()) {
      const double x = canvas.x.pixel(tick.at);
      if (kind == Kind::kPoint) line({x, frame.top}, {x, frame.bottom}, canvas.palette.grid);
      line({x, frame.bottom}, {x, frame.bottom + 4}, canvas.palette.axis);
    }
  }
  draw_horizontal_labels(canvas, row, out);
  draw_vertical_labels(canvas, out);
}

}  // namespace sluice::plot
