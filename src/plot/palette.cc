#include "sluice/plot/palette.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace sluice::plot {

namespace {

constexpr Palette kLightPalette{.background = {255, 255, 255},
                                .text = {27, 31, 36},
                                .quiet_text = {87, 96, 106},
                                .grid = {230, 233, 237},
                                .axis = {140, 149, 159}};
constexpr Palette kDarkPalette{.background = {20, 23, 28},
                               .text = {230, 233, 237},
                               .quiet_text = {160, 169, 180},
                               .grid = {42, 47, 55},
                               .axis = {110, 119, 130}};

// The two best known colours for two series come first.
constexpr std::array<Color, kSeriesColors> kSeries = {{{0x2b, 0x6c, 0xc4},
                                                       {0xd4, 0x77, 0x0c},
                                                       {0x05, 0xa0, 0xbb},
                                                       {0xfc, 0x4c, 0x8d},
                                                       {0x87, 0x28, 0xfe},
                                                       {0x8b, 0x5a, 0x07},
                                                       {0x9d, 0x44, 0x7a},
                                                       {0x6e, 0x8e, 0xfe}}};

// From little to much: lightness alone tells the values apart, so that no hue has to be seen.
constexpr std::array<Color, 5> kHeatOnLight = {
    {{0xe3, 0xee, 0xfa}, {0xa6, 0xcb, 0xee}, {0x5a, 0x9b, 0xdc}, {0x2b, 0x6c, 0xc4}, {0x12, 0x3a, 0x78}}};
constexpr std::array<Color, 5> kHeatOnDark = {
    {{0x1b, 0x2b, 0x44}, {0x1f, 0x4a, 0x86}, {0x2f, 0x78, 0xcd}, {0x6f, 0xab, 0xec}, {0xd5, 0xe8, 0xfc}}};

}  // namespace

std::string hex_text(Color color) {
  return fmt::format("#{:02x}{:02x}{:02x}", color.red, color.green, color.blue);
}

const Palette& palette_of(Theme theme) { return theme == Theme::kDark ? kDarkPalette : kLightPalette; }

Color series_color(std::size_t series) { return kSeries[series % kSeries.size()]; }

Color heat_color(Theme theme, double share) {
  const auto& stops = theme == Theme::kDark ? kHeatOnDark : kHeatOnLight;
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(stops.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double rest = at - static_cast<double>(below);
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + (static_cast<double>(b) - a) * rest));
  };
  const Color& a = stops[below];
  const Color& b = stops[below + 1];
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

}  // namespace sluice::plot
