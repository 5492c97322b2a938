#include "plot/plot_marks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/datasets/sql_spelling.h"
#include "sluice/text/display.h"

#include "plot/plot_sql.h"

namespace sluice::datasets::plotting {

namespace {

using plot::Axis;
using plot::AxisType;
using plot::Chart;
using plot::Kind;
using plot::Mark;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A row of marks_sql().
struct PartRow {
  Part part = Part::kTotals;
  double a = kNotANumber, b = kNotANumber, c = kNotANumber, d = kNotANumber, e = kNotANumber, f = kNotANumber;
  std::string label;
};

PartRow part_row(const engine::Batch& batch, std::size_t row) {
  const auto number = [&](std::size_t column) {
    return batch.columns[column].is_null(row) ? kNotANumber : batch.columns[column].at<double>(row);
  };
  PartRow out{.part = static_cast<Part>(batch.columns[0].at<std::int32_t>(row)),
              .a = number(1),
              .b = number(2),
              .c = number(3),
              .d = number(4),
              .e = number(5),
              .f = number(6),
              .label = {}};
  out.label = batch.columns[7].is_null(row) ? "(null)" : std::string(batch.columns[7].text(row));
  return out;
}

std::uint64_t counted(double value) { return std::isnan(value) ? 0 : static_cast<std::uint64_t>(value); }

std::string with_fold(Fold fold, const std::string& name) {
  switch (fold) {
    case Fold::kNone:
      return name;
    case Fold::kCount:
      return name.empty() ? "rows" : "count of " + name;
    case Fold::kCountDistinct:
      return "distinct values of " + name;
    default:
      return fmt::format("{} of {}", to_string(fold), name);
  }
}

class ChartBuilder {
 public:
  ChartBuilder(const PlotRequest& request, const PlotColumns& columns)
      : request_(request), columns_(columns) {
    Chart& chart = out_.chart;
    chart.kind = columns.kind;
    chart.x = axis_of(columns.x, request.x_scale, request.x_range);
    if (columns.y) chart.y = axis_of(*columns.y, request.y_scale, request.y_range);
    if (columns.kind != Kind::kHeatmap) {
      chart.y.type = AxisType::kNumber;
      chart.y.name = with_fold(request.fold, columns.y ? columns.y->name : "");
    }
    const bool is_count = request.fold == Fold::kCount || request.fold == Fold::kCountDistinct;
    if (is_count || columns.kind == Kind::kHistogram) chart.y.is_whole = true;
    if (columns.kind == Kind::kHistogram) chart.y.name = "rows";
    if (columns.kind == Kind::kHeatmap)
      chart.value_name = columns.value ? with_fold(request.fold, columns.value->name) : "rows";
    chart.y.scale = request.y_scale;
    chart.y.range = request.y_range;
    if (columns.series) chart.series_name = columns.series->name;
    chart.is_stacked = request.is_stacked && (chart.kind == Kind::kBar || chart.kind == Kind::kArea);
    chart.theme = request.theme;
    chart.width = request.width;
    chart.height = request.height;
  }

  void add(PartRow row) {
    Chart& chart = out_.chart;
    switch (row.part) {
      case Part::kTotals:
        add_totals(row);
        return;
      case Part::kLayout:
        layout_ = row;
        return;
      case Part::kSeries:
        chart.series.push_back(std::move(row.label));
        return;
      case Part::kXCategory:
        chart.x.categories.push_back(std::move(row.label));
        return;
      case Part::kYCategory:
        chart.y.categories.push_back(std::move(row.label));
        return;
      case Part::kOrderedMark:
        chart.kind = Kind::kLine;
        [[fallthrough]];
      case Part::kMark:
        chart.marks.push_back({.x = row.a,
                               .y = row.b,
                               .x_end = row.a,
                               .y_end = std::isnan(row.b) ? 0 : row.b,
                               .value = row.d,
                               .series = static_cast<std::size_t>(row.c)});
        return;
      case Part::kBin:
        chart.marks.push_back({.x = row.e + row.a * row.d, .y = row.b, .x_end = row.e + (row.a + 1) * row.d});
        return;
      case Part::kCell:
        add_cell(row);
        return;
    }
  }

  Result<PlottedChart> finish() {
    if (counted(layout_.f) > 1 && request_.fold == Fold::kNone) return repeated();
    Chart& chart = out_.chart;
    const bool is_drawable = std::any_of(chart.marks.begin(), chart.marks.end(), [&](const Mark& mark) {
      return !std::isnan(chart.kind == Kind::kHeatmap ? mark.value : mark.y);
    });
    if (out_.facts.rows > 0 && !is_drawable) {
      return invalid_input("none of the " + text::grouped(out_.facts.rows) +
                           " rows has a value that can be drawn")
          .with_code("not_plottable")
          .with_hint("Null, NaN and infinite values are left out, and values up to 0 on a logarithmic axis.");
    }
    name_others();
    remark();
    chart.title = request_.title.empty() ? usual_title() : request_.title;
    return std::move(out_);
  }

 private:
  Axis axis_of(const engine::Field& column, plot::Scale scale, std::optional<plot::Range> range) const {
    Axis out{.name = column.name, .scale = scale, .range = range};
    const ColumnUse use = use_of(column.type);
    if (is_category(columns_, column)) {
      out.type = AxisType::kCategory;
    } else if (use == ColumnUse::kTime) {
      out.type = AxisType::kTime;
      out.is_whole = column.type.id == engine::TypeId::kDate;
    } else {
      out.is_whole = engine::is_integer(column.type.id);
    }
    return out;
  }

  void add_totals(const PartRow& row) {
    out_.facts.rows = counted(row.a);
    out_.facts.nulls = counted(row.b);
    out_.facts.unusable = counted(row.c);
    out_.facts.misplaced = counted(row.d);
    out_.facts.categories = counted(row.e);
    out_.facts.series = counted(row.f);
  }

  void add_cell(const PartRow& row) {
    Chart& chart = out_.chart;
    if (chart.kind != Kind::kHeatmap) {
      out_.facts.remarks.push_back(fmt::format("more than {} points are drawn as a heat map", kPointsMax));
      chart.kind = Kind::kHeatmap;
      chart.value_name = "rows";
      chart.series.clear();
    }
    const auto edge = [](double low, double high, double share, plot::Scale scale) {
      if (!(high > low)) return low + (share - 0.5);
      if (scale == plot::Scale::kLog) return low * std::pow(high / low, share);
      return low + (high - low) * share;
    };
    const auto x = [&](double i) { return edge(layout_.a, layout_.b, i / kCellsAcross, chart.x.scale); };
    const auto y = [&](double k) { return edge(layout_.c, layout_.d, k / kCellsDown, chart.y.scale); };
    const double across = layout_.b > layout_.a ? 1 : kCellsAcross;
    const double down = layout_.d > layout_.c ? 1 : kCellsDown;
    chart.marks.push_back(
        {.x = x(row.a), .y = y(row.b), .x_end = x(row.a + across), .y_end = y(row.b + down), .value = row.d});
  }

  Error repeated() const {
    const bool is_heatmap = columns_.kind == Kind::kHeatmap;
    const engine::Field& second = is_heatmap ? *columns_.y : columns_.series ? *columns_.series : columns_.x;
    std::string by = sql_spelling(columns_.x.name);
    std::string named = excerpt(columns_.x.name);
    if (is_heatmap || columns_.series) {
      by += ", " + sql_spelling(second.name);
      named += " and " + excerpt(second.name);
    }
    const engine::Field& value = is_heatmap ? *columns_.value : *columns_.y;
    return invalid_input(fmt::format("several rows have the same {}; nothing is added up unasked", named))
        .with_code("not_plottable")
        .with_hint(fmt::format("SELECT {0}, sum({1}) AS {1} … GROUP BY {0}, or avg, min, max.", by,
                               sql_spelling(value.name)));
  }

  // The bar that adds up all values without a bar.
  void name_others() {
    Chart& chart = out_.chart;
    const auto drawn = static_cast<std::uint64_t>(categories_max(request_, columns_));
    if (chart.x.type != AxisType::kCategory || out_.facts.categories <= drawn) return;
    const std::string left = text::grouped(out_.facts.categories - drawn);
    if (adds_up_others(request_, columns_)) {
      chart.x.categories.push_back("other (" + left + ")");
    } else {
      out_.facts.remarks.push_back(fmt::format("the first {} of {} values of {} are drawn", drawn,
                                               text::grouped(out_.facts.categories),
                                               excerpt(columns_.x.name)));
    }
  }

  void remark() {
    PlotFacts& facts = out_.facts;
    const auto count = [&](std::uint64_t number, std::string_view words) {
      if (number > 0)
        facts.remarks.push_back(
            fmt::format("{} {} {}", text::grouped(number), number == 1 ? "row" : "rows", words));
    };
    count(facts.nulls, "without a value");
    count(facts.unusable, request_.y_scale == plot::Scale::kLog
                              ? "with a value that is infinite, no number or not positive left out"
                              : "with an infinite value or none that is a number left out");
    count(facts.misplaced, fmt::format("left out, because {} cannot be drawn", excerpt(columns_.x.name)));
    if (facts.series > static_cast<std::uint64_t>(kSeriesMax)) {
      facts.remarks.push_back(
          fmt::format("the first {} of {} series are drawn", kSeriesMax, text::grouped(facts.series)));
    }
    if (!columns_.left_out.empty()) {
      facts.remarks.push_back(fmt::format("{} of the columns {} not drawn: {}", columns_.left_out.size(),
                                          columns_.left_out.size() == 1 ? "is" : "are",
                                          excerpt(columns_.left_out.front(), 40)));
    }
    for (const std::string& note : request_.notes) facts.remarks.push_back(note);
  }

  std::string usual_title() const {
    const Chart& chart = out_.chart;
    const std::string& drawn = chart.kind == Kind::kHeatmap ? chart.value_name : chart.y.name;
    std::string over = chart.x.name;
    if (chart.kind == Kind::kHeatmap) over += " and " + chart.y.name;
    return drawn + " by " + over;
  }

  const PlotRequest& request_;
  const PlotColumns& columns_;
  PlottedChart out_;
  PartRow layout_;
};

}  // namespace

Result<PlottedChart> read_marks(engine::Rows& rows, const PlotRequest& request, const PlotColumns& columns) {
  ChartBuilder builder(request, columns);
  while (true) {
    SLUICE_TRY(const engine::Batch* batch, rows.next());
    if (batch == nullptr) return builder.finish();
    for (std::size_t row = 0; row < batch->rows; ++row) builder.add(part_row(*batch, row));
  }
}

}  // namespace sluice::datasets::plotting
