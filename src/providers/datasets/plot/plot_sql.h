#pragma once

#include <string>

#include "plot/plot_request.h"

namespace sluice::datasets::plotting {

// What a picture has at most, however many rows there are.
inline constexpr std::int64_t kSeriesMax = 12;
inline constexpr std::int64_t kLinePointsMax = 2'000;  // Of a series.
inline constexpr std::int64_t kLineColumns = kLinePointsMax / 4;
inline constexpr std::int64_t kPointsMax = 5'000;
inline constexpr std::int64_t kCellsMax = 100;       // Across and down.
inline constexpr std::int64_t kCategoriesMax = 200;  // Of lines, areas and points over text.
inline constexpr std::int64_t kLabelBytesMax = 800;

// What a row of marks_sql() is about; the first of its columns, which are part, a, b, c, d, e, f and label.
enum class Part : std::uint8_t {
  kTotals = 0,     // rows, nulls of y, y that cannot be drawn, x that cannot be drawn, categories, series.
  kLayout = 1,     // Least x, greatest x, least y, greatest y, step of bins, most rows for one x and series.
  kSeries = 2,     // Index; label.
  kXCategory = 3,  // Index; label.
  kYCategory = 4,  // Index; label.
  kMark = 5,       // x, y, series; of a heat map with categories also the value.
  kOrderedMark = 6,  // x, y, series of a line, where points were asked for and the rows are in order.
  kBin = 7,          // Index, rows; of a histogram.
  kCell = 8,         // Index across, index down, rows; of a heat map of numbers.
};

// What follows the table `answer` of a statement (see query::statement_around) so that it computes the marks:
// everything is done by the engine, and few rows come back whatever the answer holds.
std::string marks_sql(const PlotRequest& request, const PlotColumns& columns);

// How many categories are drawn over x; what follows is added up as "other" or left out.
std::int64_t categories_max(const PlotRequest& request, const PlotColumns& columns);
bool adds_up_others(const PlotRequest& request, const PlotColumns& columns);
bool is_category(const PlotColumns& columns, const engine::Field& column);

// Cells of a heat map of numbers: the areas are about squares.
inline constexpr std::int64_t kCellsAcross = 80;
inline constexpr std::int64_t kCellsDown = 50;

}  // namespace sluice::datasets::plotting
