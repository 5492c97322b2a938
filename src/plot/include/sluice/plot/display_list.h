#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/plot/palette.h"

// What a picture consists of, in the order in which it is drawn. The SVG and the PNG of a chart are written
// from the same list. Coordinates are pixels from the top left corner.
namespace sluice::plot {

struct Point {
  double x = 0;
  double y = 0;
};

struct RectShape {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  Color fill;
};

struct LineShape {
  Point from;
  Point to;
  Color stroke;
  double width = 1;
};

// Lines through points, each part from a point that is moved to; filled if it has a fill.
struct PathShape {
  struct Step {
    bool is_move = false;
    Point to;
  };
  std::vector<Step> steps;
  bool is_closed = false;
  std::optional<Color> fill;
  double fill_opacity = 1;
  std::optional<Color> stroke;
  double width = 1;
  std::vector<double> dashes;  // Lengths of strokes and gaps; empty: one stroke.
};

struct CircleShape {
  Point center;
  double radius = 1;
  Color fill;
};

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

struct TextShape {
  Point at;  // On the baseline.
  std::string text;
  double size = 12;
  Anchor anchor = Anchor::kStart;
  double turn = 0;  // Degrees clockwise around `at`.
  Color fill;
};

// What a mark shows, for programs and for people who point at it.
struct MarkLabel {
  std::string x;
  std::string y;
  std::string series;
};

struct Shape {
  std::variant<RectShape, LineShape, PathShape, CircleShape, TextShape> form;
  std::optional<MarkLabel> mark;
};

struct DisplayList {
  int width = 0;
  int height = 0;
  Color background;
  std::string title;
  std::string description;
  std::vector<Shape> shapes;
};

}  // namespace sluice::plot
