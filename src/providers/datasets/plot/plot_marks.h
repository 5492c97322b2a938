#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/engine/engine.h"
#include "sluice/plot/chart.h"

#include "plot/plot_request.h"

namespace sluice::datasets::plotting {

// What is known of a picture beside its marks.
struct PlotFacts {
  std::uint64_t rows = 0;
  std::uint64_t nulls = 0;  // Rows whose value is null.
  std::uint64_t unusable =
      0;  // Rows with NaN or an infinite value, or one that a logarithm has no place for.
  std::uint64_t misplaced = 0;  // Rows whose x cannot be drawn.
  std::uint64_t categories = 0;
  std::uint64_t series = 0;
  std::vector<std::string> remarks;  // What a reader of the picture should know.
};

struct PlottedChart {
  plot::Chart chart;
  PlotFacts facts;
};

// Reads what marks_sql() computes. Fails with `not_plottable` where several rows share a mark, and nothing
// was said of adding them up, and where no value can be drawn.
Result<PlottedChart> read_marks(engine::Rows& rows, const PlotRequest& request, const PlotColumns& columns);

// The text of the answer: one line of what is drawn, remarks, then marks as CSV, as many as fit.
std::string plot_text(const PlottedChart& plotted);

}  // namespace sluice::datasets::plotting
