#pragma once

#include <string>
#include <vector>

#include "sluice/plot/chart.h"

namespace sluice::plot::testing {

struct GalleryPicture {
  std::string name;
  Chart chart;
};

// Charts of every kind, with the scales, labels and values that are hard to draw.
std::vector<GalleryPicture> gallery();

}  // namespace sluice::plot::testing
