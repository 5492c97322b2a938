#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "markers.h"
#include "marks.h"

namespace sluice::plot {

namespace {

constexpr double kLineWidth = 2;
constexpr double kMarkerRadius = 3;
constexpr double kMarkerSpace = 14;  // Pixels between points that have a shape of their own.

// A point of a line in pixels. For areas, also where its base is.
struct LinePoint {
  Point at;
  double base = 0;
  const Mark* mark = nullptr;
};
using LinePart = std::vector<LinePoint>;  // Without gaps.

// The part of a segment that is in the frame.
std::optional<std::pair<Point, Point>> clip(const Frame& frame, Point a, Point b) {
  double first = 0;
  double last = 1;
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const auto cut = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double share = distance / direction;
    if (direction < 0) first = std::max(first, share);
    if (direction > 0) last = std::min(last, share);
    return first <= last;
  };
  const bool is_inside = cut(-dx, a.x - frame.left) && cut(dx, frame.right - a.x) &&
                         cut(-dy, a.y - frame.top) && cut(dy, frame.bottom - a.y);
  if (!is_inside) return std::nullopt;
  return std::pair(Point{a.x + first * dx, a.y + first * dy}, Point{a.x + last * dx, a.y + last * dy});
}

class LineDrawing {
 public:
  LineDrawing(const Canvas& canvas, std::vector<Shape>& out) : canvas_(canvas), out_(out) {}

  void draw() {
    std::size_t begin = 0;
    const std::vector<Mark>& marks = canvas_.chart.marks;
    while (begin < marks.size()) {
      std::size_t end = begin;
      while (end < marks.size() && marks[end].series == marks[begin].series) ++end;
      draw_series(begin, end);
      begin = end;
    }
    for (Shape& marker : markers_) out_.push_back(std::move(marker));
  }

 private:
  void draw_series(std::size_t begin, std::size_t end) {
    const std::size_t series = canvas_.chart.marks[begin].series;
    const std::vector<LinePart> parts = parts_of(begin, end);
    const bool has_markers =
        static_cast<double>(end - begin) * kMarkerSpace <= canvas_.frame.right - canvas_.frame.left;
    PathShape line{.stroke = series_color(series), .width = kLineWidth, .dashes = series_dashes(series)};
    for (const LinePart& part : parts) {
      if (canvas_.chart.kind == Kind::kArea) fill(part, series);
      add_line(part, line);
      for (const LinePoint& point : part) {
        if ((has_markers || part.size() == 1) && is_inside(point.at)) add_marker(series, point);
      }
    }
    if (!line.steps.empty()) out_.push_back({.form = std::move(line), .mark = {}});
  }

  std::vector<LinePart> parts_of(std::size_t begin, std::size_t end) {
    std::vector<LinePart> out(1);
    for (std::size_t i = begin; i < end; ++i) {
      const Mark& mark = canvas_.chart.marks[i];
      const bool is_gap =
          std::isnan(mark.y) || (canvas_.y.is_log() && mark.y <= 0) || (canvas_.x.is_log() && mark.x <= 0);
      if (is_gap) {
        if (!out.back().empty()) out.emplace_back();
        continue;
      }
      double low = 0;
      if (canvas_.chart.is_stacked) {
        double& sum = sums_[mark.x];
        low = sum;
        sum += mark.y;
      }
      const double y = canvas_.y.pixel(low + mark.y);
      const double base = low == 0 ? canvas_.y.base() : canvas_.y.clamped_pixel(low);
      out.back().push_back({.at = {canvas_.x.pixel(mark.x), y}, .base = base, .mark = &mark});
    }
    if (out.back().empty()) out.pop_back();
    return out;
  }

  void add_line(const LinePart& part, PathShape& line) const {
    Point pen{-1e9, -1e9};
    for (std::size_t i = 1; i < part.size(); ++i) {
      const auto piece = clip(canvas_.frame, part[i - 1].at, part[i].at);
      if (!piece) continue;
      if (piece->first.x != pen.x || piece->first.y != pen.y) line.steps.push_back({true, piece->first});
      line.steps.push_back({false, piece->second});
      pen = piece->second;
    }
  }

  void fill(const LinePart& part, std::size_t series) {
    if (part.size() < 2) return;
    const auto within = [&](Point point) {
      return Point{std::clamp(point.x, canvas_.frame.left, canvas_.frame.right),
                   std::clamp(point.y, canvas_.frame.top, canvas_.frame.bottom)};
    };
    PathShape area{.is_closed = true,
                   .fill = series_color(series),
                   .fill_opacity = canvas_.chart.is_stacked ? 0.75 : 0.25};
    for (const LinePoint& point : part) area.steps.push_back({area.steps.empty(), within(point.at)});
    for (std::size_t i = part.size(); i-- > 0;)
      area.steps.push_back({false, within({part[i].at.x, part[i].base})});
    out_.push_back({.form = std::move(area), .mark = {}});
  }

  bool is_inside(Point at) const {
    constexpr double kSlack = 0.01;
    const Frame& frame = canvas_.frame;
    return at.x >= frame.left - kSlack && at.x <= frame.right + kSlack && at.y >= frame.top - kSlack &&
           at.y <= frame.bottom + kSlack;
  }

  void add_marker(std::size_t series, const LinePoint& point) {
    const Chart& chart = canvas_.chart;
    markers_.push_back({.form = series_marker(series, point.at, kMarkerRadius),
                        .mark = MarkLabel{.x = value_text(chart.x, point.mark->x),
                                          .y = value_text(chart.y, point.mark->y),
                                          .series = series_label(chart, series)}});
  }

  const Canvas& canvas_;
  std::vector<Shape>& out_;
  std::vector<Shape> markers_;     // Above all lines.
  std::map<double, double> sums_;  // Of stacked areas, by x.
};

}  // namespace

void draw_lines(const Canvas& canvas, std::vector<Shape>& out) { LineDrawing(canvas, out).draw(); }

}  // namespace sluice::plot
