#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/plot/palette.h"

namespace sluice::plot {

enum class Kind : std::uint8_t { kBar, kLine, kArea, kPoint, kHistogram, kHeatmap };
std::optional<Kind> kind_of(std::string_view name);  // "bar", "line", "area", …
std::string_view to_string(Kind kind);

enum class AxisType : std::uint8_t {
  kNumber,
  kTime,      // Microseconds since 1970, in UTC.
  kCategory,  // Indices of `Axis::categories`.
};
enum class Scale : std::uint8_t { kLinear, kLog };

struct Range {
  double low = 0;
  double high = 0;
};

struct Axis {
  std::string name;
  std::string unit;  // Empty: none is known.
  AxisType type = AxisType::kNumber;
  Scale scale = Scale::kLinear;         // Of numbers.
  std::vector<std::string> categories;  // Of kCategory, in the order in which they are drawn.
  std::optional<Range> range;           // What is shown; nothing: all marks.
  bool is_whole = false;                // Numbers without fractions; times without a time of day.
};

// Numbers beyond this are not drawn: the range between two of them might be no number.
inline constexpr double kNumberMax = 1e300;

// One bar, point, bin or cell. Coordinates are those of the axis: a number, microseconds or an index.
struct Mark {
  double x = 0;
  double y = 0;      // NaN: there is no value here, and a line is interrupted.
  double x_end = 0;  // Where a bin or a cell of a heat map ends; equal to x for a category.
  double y_end = 0;
  double value = 0;        // What the colour of a cell says.
  std::size_t series = 0;  // Index of Chart::series.
};

inline constexpr int kWidthMin = 320;
inline constexpr int kWidthMax = 1'568;  // Models scale larger pictures down.
inline constexpr int kHeightMin = 200;
inline constexpr int kHeightMax = 1'568;

// Everything that a picture is drawn from. Text is as it came; drawing removes control characters.
struct Chart {
  Kind kind = Kind::kBar;
  Axis x;
  Axis y;
  std::vector<std::string> series;  // Names; empty: there is one series without a name.
  std::string series_name;          // Of the column that the series come from.
  std::string value_name;           // Of what the colours of a heat map say.
  std::vector<Mark> marks;          // Lines and areas: each series in the order of x.
  std::string title;
  std::string description;  // For readers who do not see the picture.
  bool is_stacked = false;
  Theme theme = Theme::kLight;
  int width = 800;  // Pixels, from kWidthMin to kWidthMax.
  int height = 450;
};

}  // namespace sluice::plot
