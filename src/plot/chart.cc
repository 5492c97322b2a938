#include "sluice/plot/chart.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sluice::plot {

namespace {

constexpr std::array<std::pair<Kind, std::string_view>, 6> kKindNames = {{{Kind::kBar, "bar"},
                                                                          {Kind::kLine, "line"},
                                                                          {Kind::kArea, "area"},
                                                                          {Kind::kPoint, "point"},
                                                                          {Kind::kHistogram, "histogram"},
                                                                          {Kind::kHeatmap, "heatmap"}}};

}  // namespace

std::optional<Kind> kind_of(std::string_view name) {
  const auto found = std::find_if(kKindNames.begin(), kKindNames.end(),
                                  [&](const auto& entry) { return entry.second == name; });
  return found == kKindNames.end() ? std::nullopt : std::optional(found->first);
}

std::string_view to_string(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)].second; }

}  // namespace sluice::plot
