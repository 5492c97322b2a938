#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sluice::plot {

enum class Theme : std::uint8_t { kLight, kDark };

struct Color {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Color&, const Color&) = default;
};

// "#2b6cc4".
std::string hex_text(Color color);

// Colours of what is not a mark.
struct Palette {
  Color background;
  Color text;
  Color quiet_text;  // Labels of ticks.
  Color grid;
  Color axis;
};
const Palette& palette_of(Theme theme);

// Series have one of eight colours, in the same order in both themes. All of them have a contrast of at least
// 3:1 with both backgrounds, and people who cannot tell red from green can tell them apart. Further series
// have the same colours again, with other dashes and shapes.
inline constexpr std::size_t kSeriesColors = 8;
Color series_color(std::size_t series);

// The colour of a heat map's cell, for a share from 0 to 1.
Color heat_color(Theme theme, double share);

}  // namespace sluice::plot
