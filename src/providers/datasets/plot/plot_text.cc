#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/plot/number_text.h"
#include "sluice/text/display.h"

#include "lean/token_estimate.h"
#include "plot/plot_marks.h"

namespace sluice::datasets::plotting {

namespace {

using plot::AxisType;
using plot::Chart;
using plot::Kind;
using plot::Mark;

constexpr std::size_t kMarksShown = 30;
constexpr std::uint64_t kTextTokensMax = 250;
constexpr std::size_t kCellBytesMax = 60;

std::string csv_cell(std::string_view text) {
  std::string out = excerpt(text, kCellBytesMax);
  if (out.find_first_of(",\"\n") == std::string::npos) return out;
  std::string quoted = "\"";
  for (const char c : out) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string coordinate(const plot::Axis& axis, double value) {
  if (axis.type == AxisType::kTime) return plot::time_text(value, axis.is_whole);
  if (axis.type == AxisType::kNumber) return plot::brief_number(value);
  const auto index = static_cast<std::size_t>(value);
  return csv_cell(index < axis.categories.size() ? axis.categories[index] : "");
}

std::string header_line(const Chart& chart) {
  if (chart.kind == Kind::kHistogram) return fmt::format("{0} from,{0} to,rows\n", csv_cell(chart.x.name));
  std::string out = csv_cell(chart.x.name) + "," + csv_cell(chart.y.name);
  if (chart.kind == Kind::kHeatmap) out += "," + csv_cell(chart.value_name);
  if (!chart.series.empty()) out += "," + csv_cell(chart.series_name);
  return out + "\n";
}

std::string mark_line(const Chart& chart, const Mark& mark) {
  std::string out = coordinate(chart.x, mark.x);
  if (chart.kind == Kind::kHistogram) {
    return out + "," + coordinate(chart.x, mark.x_end) + "," + plot::brief_number(mark.y) + "\n";
  }
  out += "," + coordinate(chart.y, mark.y);
  if (chart.kind == Kind::kHeatmap) out += "," + plot::brief_number(mark.value);
  if (!chart.series.empty())
    out += "," + csv_cell(mark.series < chart.series.size() ? chart.series[mark.series] : "");
  return out + "\n";
}

// The places of `count` marks among all, spread evenly, the first and the last among them.
std::vector<std::size_t> spread(std::size_t all, std::size_t count) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < std::min(all, count); ++i)
    out.push_back(all <= count || count == 1 ? i : i * (all - 1) / (count - 1));
  return out;
}

// The cells with most rows tell more than cells of each part.
std::vector<const Mark*> marks_to_show(const Chart& chart, std::size_t count) {
  std::vector<const Mark*> all;
  for (const Mark& mark : chart.marks) {
    if (!std::isnan(chart.kind == Kind::kHeatmap ? mark.value : mark.y)) all.push_back(&mark);
  }
  if (chart.kind == Kind::kHeatmap && all.size() > count) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Mark* a, const Mark* b) { return a->value > b->value; });
    all.resize(count);
    return all;
  }
  const bool is_ranked = chart.kind == Kind::kBar;  // The first bars are what was asked for first.
  if (is_ranked && all.size() > count) all.resize(count);
  std::vector<const Mark*> out;
  for (const std::size_t at : spread(all.size(), count)) out.push_back(all[at]);
  return out;
}

std::string_view noun_of(Kind kind, std::size_t count) {
  switch (kind) {
    case Kind::kBar:
      return count == 1 ? "bar" : "bars";
    case Kind::kHistogram:
      return count == 1 ? "bin" : "bins";
    case Kind::kHeatmap:
      return count == 1 ? "cell" : "cells";
    default:
      return count == 1 ? "point" : "points";
  }
}

}  // namespace

std::string plot_text(const PlottedChart& plotted) {
  const Chart& chart = plotted.chart;
  const PlotFacts& facts = plotted.facts;
  const auto drawn =
      static_cast<std::size_t>(std::count_if(chart.marks.begin(), chart.marks.end(), [&](const Mark& mark) {
        return !std::isnan(chart.kind == Kind::kHeatmap ? mark.value : mark.y);
      }));
  const bool is_heatmap = chart.kind == Kind::kHeatmap;
  const std::string second = is_heatmap ? " and " + excerpt(chart.y.name, 60) : "";
  std::string text =
      fmt::format("# {}: {} by {}{}, {} {}", to_string(chart.kind),
                  excerpt(is_heatmap ? chart.value_name : chart.y.name, 60), excerpt(chart.x.name, 60),
                  second, text::grouped(drawn), noun_of(chart.kind, drawn));
  if (chart.series.size() > 1) text += fmt::format(" in {} series", chart.series.size());
  text += fmt::format(" from {} {}", text::grouped(facts.rows), facts.rows == 1 ? "row" : "rows");
  for (const std::string& remark : facts.remarks) text += "; " + remark;
  text += '\n';
  for (std::size_t count = kMarksShown; count > 0; --count) {
    const std::vector<const Mark*> shown = marks_to_show(chart, count);
    std::string rows = shown.size() < drawn ? fmt::format("# {} of them:\n", shown.size()) : "";
    rows += header_line(chart);
    for (const Mark* mark : shown) rows += mark_line(chart, *mark);
    if (lean::estimate_tokens(text) + lean::estimate_tokens(rows) <= kTextTokensMax) return text + rows;
  }
  return text;
}

}  // namespace sluice::datasets::plotting
