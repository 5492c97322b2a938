#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/engine/type.h"
#include "sluice/json/value.h"
#include "sluice/plot/chart.h"

#include "dataset_tools.h"

namespace sluice::datasets::plotting {

// What is done with the values of y that share an x and a series.
enum class Fold : std::uint8_t { kNone, kSum, kAverage, kMin, kMax, kMedian, kCount, kCountDistinct };

enum class Picture : std::uint8_t { kPng, kSvg, kNone };

inline constexpr std::int64_t kBarsMax = 60;
inline constexpr std::int64_t kBinsMax = 200;

// The arguments of a call of `plot`, apart from those that say what it is drawn from.
struct PlotRequest {
  std::optional<plot::Kind> kind;
  std::string x;  // Empty: chosen by the order of the columns, as are y and series.
  std::string y;
  std::string series;
  bool is_whole_dataset = false;  // There are columns that nobody selected: series only if they are named.
  std::string title;
  Picture picture = Picture::kPng;
  Fold fold = Fold::kNone;
  std::optional<std::int64_t> top;   // Categories that are drawn.
  std::optional<std::int64_t> bins;  // Of a histogram.
  bool is_stacked = false;
  plot::Scale x_scale = plot::Scale::kLinear;
  plot::Scale y_scale = plot::Scale::kLinear;
  std::optional<plot::Range> x_range;
  std::optional<plot::Range> y_range;
  plot::Theme theme = plot::Theme::kLight;
  int width = 800;
  int height = 450;
  std::vector<std::string> notes;  // What was changed about the arguments.
};

Result<PlotRequest> read_plot_request(const json::Object& arguments);

std::string_view to_string(Fold fold);  // "sum", "avg", …

// What a column can be in a picture.
enum class ColumnUse : std::uint8_t { kNumber, kTime, kText };
ColumnUse use_of(const engine::Type& type);

// The columns that are drawn, and as what.
struct PlotColumns {
  plot::Kind kind = plot::Kind::kBar;
  bool may_be_line = false;  // A line instead of points if the rows are in the order of x.
  engine::Field x;
  std::optional<engine::Field> y;  // Not for histograms, and for counts of rows.
  std::optional<engine::Field> series;
  std::optional<engine::Field> value;  // What the colours of a heat map say. Nothing: rows are counted.
  std::vector<std::string> left_out;   // Columns that nothing is drawn of.
};

// Fails with `not_plottable`, naming the columns that could be drawn, or with `invalid_column`.
Result<PlotColumns> choose_columns(const PlotRequest& request, const std::vector<engine::Field>& columns);

}  // namespace sluice::datasets::plotting
