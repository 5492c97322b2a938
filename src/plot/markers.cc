#include "markers.h"

#include <array>

namespace sluice::plot {

namespace {

PathShape polygon(Point center, std::initializer_list<Point> corners, double radius, Color fill) {
  PathShape out;
  for (const Point& corner : corners)
    out.steps.push_back({out.steps.empty(), {center.x + corner.x * radius, center.y + corner.y * radius}});
  out.is_closed = true;
  out.fill = fill;
  return out;
}

}  // namespace

std::vector<double> series_dashes(std::size_t series) {
  static const std::array<std::vector<double>, 5> kDashes = {{{}, {8, 4}, {2, 3}, {10, 3, 2, 3}, {5, 2}}};
  return kDashes[series % kDashes.size()];
}

decltype(Shape::form) series_marker(std::size_t series, Point center, double radius) {
  const Color fill = series_color(series);
  switch (series % 5) {
    case 1:
      return polygon(center, {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, radius, fill);
    case 2:
      return polygon(center, {{0, -1.15}, {1.1, 0.8}, {-1.1, 0.8}}, radius, fill);
    case 3:
      return polygon(center, {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}, radius, fill);
    case 4:
      return polygon(center, {{0, 1.15}, {-1.1, -0.8}, {1.1, -0.8}}, radius, fill);
    default:
      return CircleShape{.center = center, .radius = radius, .fill = fill};
  }
}

}  // namespace sluice::plot
