#include <cmath>
#include <map>
#include <random>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"

#include "plot/plot_marks.h"
#include "plot/plot_sql.h"

// What the engine computes for a picture, compared with a model that computes it row by row.
namespace sluice::datasets::plotting {
namespace {

struct ModelRow {
  std::optional<double> x;
  std::optional<double> y;
  std::string series;
};

class PlotModel : public ::testing::Test {
 protected:
  PlotModel() : engine_(std::move(engine::open_duckdb({})).value()) {}

  static std::string literal(const std::optional<double>& value) {
    if (!value) return "NULL";
    if (std::isnan(*value)) return "'NaN'::DOUBLE";
    if (std::isinf(*value)) return *value > 0 ? "'Infinity'::DOUBLE" : "'-Infinity'::DOUBLE";
    return fmt::format("'{}'::DOUBLE", *value);  // Without quotes it would be a decimal first.
  }

  Result<PlottedChart> plot(const std::vector<ModelRow>& rows, const PlotRequest& request,
                            bool has_series = true) {
    std::string values;
    for (const ModelRow& row : rows) {
      values += (values.empty() ? "" : ",") +
                fmt::format("({},{},'{}')", literal(row.x), literal(row.y), row.series);
    }
    const std::string answer =
        fmt::format("SELECT x, y{} FROM (VALUES {}) AS t(x, y, s)", has_series ? ", s" : "", values);
    return plot_sql(answer, request);
  }

  Result<PlottedChart> plot_sql(const std::string& answer, const PlotRequest& request) {
    const std::string begin = "WITH answer AS (" + answer + ") ";
    const auto described = engine_->describe({.sql = begin + "SELECT * FROM answer"});
    if (!described.ok()) return described.error();
    Result<PlotColumns> columns = choose_columns(request, described->columns);
    if (!columns.ok()) return columns.error();
    auto out = engine_->query({.sql = "WITH answer AS (" + answer + ")" + marks_sql(request, *columns)}, {});
    if (!out.ok()) return out.error();
    return read_marks(**out, request, *columns);
  }

  // Rows with distinct x in each series, some of them without a value that can be drawn.
  std::vector<ModelRow> random_line(std::size_t series, std::size_t points) {
    std::vector<ModelRow> out;
    for (std::size_t s = 0; s < series; ++s) {
      std::set<double> used;
      for (std::size_t i = 0; i < points; ++i) {
        ModelRow row{.x = number(-1'000, 1'000), .y = number(-50, 50), .series = "s" + std::to_string(s)};
        const auto kind = random_() % 20;
        if (kind == 0) row.y.reset();
        if (kind == 1) row.y = NAN;
        if (kind == 2) row.y = INFINITY;
        if (kind == 3) row.x.reset();
        if (row.x && !used.insert(*row.x).second) continue;
        out.push_back(row);
      }
    }
    std::shuffle(out.begin(), out.end(), random_);
    return out;
  }

  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  std::mt19937_64 random_{20'240'101};
  std::unique_ptr<engine::Engine> engine_;
};

bool is_drawable(const std::optional<double>& value) { return value && std::isfinite(*value); }

TEST_F(PlotModel, DrawsEveryPointOfAShortLineInOrder) {
  for (int round = 0; round < 8; ++round) {
    const std::vector<ModelRow> rows = random_line(1 + random_() % 4, 1 + random_() % 60);
    PlotRequest request;
    request.kind = plot::Kind::kLine;
    std::map<std::string, std::map<double, std::optional<double>>> model;
    std::uint64_t nulls = 0;
    std::uint64_t unusable = 0;
    for (const ModelRow& row : rows) {
      nulls += row.y ? 0U : 1U;
      unusable += row.y && !is_drawable(row.y) ? 1U : 0U;
      if (row.x) model[row.series][*row.x] = is_drawable(row.y) ? row.y : std::nullopt;
    }
    const Result<PlottedChart> plotted = plot(rows, request);
    if (!plotted.ok()) {
      EXPECT_EQ(plotted.error().code, "not_plottable");
      continue;
    }
    EXPECT_EQ(plotted->facts.nulls, nulls);
    EXPECT_EQ(plotted->facts.unusable, unusable);
    std::map<std::string, std::map<double, std::optional<double>>> drawn;
    double last_x = 0;
    std::size_t last_series = 99;
    for (const plot::Mark& mark : plotted->chart.marks) {
      if (mark.series == last_series) {
        EXPECT_LT(last_x, mark.x);
      }
      last_x = mark.x;
      last_series = mark.series;
      drawn[plotted->chart.series[mark.series]][mark.x] =
          std::isnan(mark.y) ? std::nullopt : std::optional(mark.y);
    }
    EXPECT_EQ(drawn, model);
  }
}

TEST_F(PlotModel, KeepsTheFirstLastLeastAndGreatestPointOfEachPartOfALongLine) {
  const std::vector<ModelRow> rows = random_line(2, 9'000);
  PlotRequest request;
  request.kind = plot::Kind::kLine;
  const Result<PlottedChart> plotted = plot(rows, request);
  ASSERT_TRUE(plotted.ok()) << plotted.error().message;
  double low = INFINITY;
  double high = -INFINITY;
  for (const ModelRow& row : rows) {
    if (!row.x) continue;
    low = std::min(low, *row.x);
    high = std::max(high, *row.x);
  }
  std::map<std::pair<std::string, int>, std::map<double, double>> parts;
  for (const ModelRow& row : rows) {
    if (!row.x || !is_drawable(row.y)) continue;
    const int part = std::min(static_cast<int>((*row.x - low) / (high - low) * 500), 499);
    parts[{row.series, part}][*row.x] = *row.y;
  }
  std::map<std::string, std::set<std::pair<double, double>>> model;
  for (const auto& [key, points] : parts) {
    const auto by_y = [](const auto& a, const auto& b) { return a.second < b.second; };
    for (const auto& point :
         {*points.begin(), *points.rbegin(), *std::min_element(points.begin(), points.end(), by_y),
          *std::max_element(points.begin(), points.end(), by_y)}) {
      model[key.first].insert(point);
    }
  }
  std::map<std::string, std::set<std::pair<double, double>>> drawn;
  for (const plot::Mark& mark : plotted->chart.marks) {
    if (!std::isnan(mark.y)) drawn[plotted->chart.series[mark.series]].insert({mark.x, mark.y});
  }
  EXPECT_EQ(drawn, model);
  for (const auto& [series, points] : drawn) EXPECT_LE(points.size(), 2'000U);
}

TEST_F(PlotModel, CountsEachValueInItsBin) {
  for (int round = 0; round < 20; ++round) {
    std::vector<ModelRow> rows;
    const double width = std::pow(10, number(-3, 6));
    const double from = width * number(-3, 3);
    for (std::size_t i = 0; i < 1 + random_() % 400; ++i)
      rows.push_back({.x = random_() % 15 == 0 ? std::nullopt : std::optional(number(from, from + width)),
                      .y = 0,
                      .series = ""});
    PlotRequest request;
    request.kind = plot::Kind::kHistogram;
    if (round % 3 == 0) request.bins = 1 + static_cast<std::int64_t>(random_() % 50);
    const Result<PlottedChart> plotted = plot(rows, request, false);
    if (!plotted.ok()) continue;
    double counted = 0;
    for (const plot::Mark& mark : plotted->chart.marks) {
      const double slack = (mark.x_end - mark.x) * 1e-6;
      const auto inside = std::count_if(rows.begin(), rows.end(), [&](const ModelRow& row) {
        return row.x && *row.x >= mark.x - slack && *row.x <= mark.x_end + slack;
      });
      EXPECT_EQ(mark.y, static_cast<double>(inside)) << mark.x << " to " << mark.x_end;
      counted += mark.y;
    }
    const auto all =
        std::count_if(rows.begin(), rows.end(), [](const ModelRow& row) { return row.x.has_value(); });
    EXPECT_EQ(counted, static_cast<double>(all));
    EXPECT_LE(plotted->chart.marks.size(), 200U);
  }
}

TEST_F(PlotModel, FoldsValuesAsAModelDoes) {
  for (const Fold fold : {Fold::kSum, Fold::kAverage, Fold::kMin, Fold::kMax, Fold::kCount}) {
    std::map<std::string, std::vector<double>> model;
    std::string values;
    for (int i = 0; i < 500; ++i) {
      const std::string name = "c" + std::to_string(random_() % 40);
      const double value = number(0, 10);
      model[name].push_back(value);
      values += (values.empty() ? "" : ",") + fmt::format("('{}','{}'::DOUBLE)", name, value);
    }
    PlotRequest request;
    request.kind = plot::Kind::kBar;
    request.fold = fold;
    request.top = 25;
    const Result<PlottedChart> plotted =
        plot_sql("SELECT * FROM (VALUES " + values + ") AS t(name, value)", request);
    ASSERT_TRUE(plotted.ok()) << plotted.error().message;
    const auto folded = [&](const std::vector<double>& all) {
      double sum = 0;
      for (const double one : all) sum += one;
      switch (fold) {
        case Fold::kSum:
          return sum;
        case Fold::kAverage:
          return sum / static_cast<double>(all.size());
        case Fold::kMin:
          return *std::min_element(all.begin(), all.end());
        case Fold::kMax:
          return *std::max_element(all.begin(), all.end());
        default:
          return static_cast<double>(all.size());
      }
    };
    const plot::Chart& chart = plotted->chart;
    double others = 0;
    for (const auto& [name, all] : model) others += folded(all);
    const bool adds_up = fold == Fold::kSum || fold == Fold::kCount;
    ASSERT_EQ(chart.marks.size(), adds_up ? 26U : 25U);
    double last = INFINITY;
    for (std::size_t i = 0; i < 25; ++i) {
      const plot::Mark& mark = chart.marks[i];
      EXPECT_NEAR(mark.y, folded(model.at(chart.x.categories[i])), 1e-9);
      EXPECT_LE(mark.y, last + 1e-9);
      last = mark.y;
      others -= mark.y;
    }
    if (adds_up) {
      EXPECT_EQ(chart.x.categories.back(), "other (15)");
      EXPECT_NEAR(chart.marks.back().y, others, 1e-9);
    }
  }
}

TEST_F(PlotModel, CountsThePointsOfEachCell) {
  const Result<PlottedChart> plotted = plot_sql(
      "SELECT CAST(i % 997 AS DOUBLE) AS x, CAST((i * 7919) % 1009 AS DOUBLE) AS y FROM range(60000) t(i)",
      {});
  ASSERT_TRUE(plotted.ok()) << plotted.error().message;
  const plot::Chart& chart = plotted->chart;
  EXPECT_EQ(chart.kind, plot::Kind::kHeatmap);
  std::map<std::pair<int, int>, double> model;
  for (std::int64_t i = 0; i < 60'000; ++i) {
    const double x = static_cast<double>(i % 997);
    const double y = static_cast<double>((i * 7'919) % 1'009);
    ++model[{std::min(static_cast<int>(x / 996 * 80), 79), std::min(static_cast<int>(y / 1'008 * 50), 49)}];
  }
  ASSERT_EQ(chart.marks.size(), model.size());
  for (const plot::Mark& mark : chart.marks) {
    const int across = static_cast<int>(std::lround(mark.x / 996 * 80));
    const int up = static_cast<int>(std::lround(mark.y / 1'008 * 50));
    EXPECT_EQ(mark.value, model.at({across, up})) << across << " " << up;
  }
}

TEST_F(PlotModel, StaysWithinItsBoundsWhateverTheRows) {
  const auto marks = [&](const std::string& answer, std::optional<plot::Kind> kind) {
    PlotRequest request;
    request.kind = kind;
    const Result<PlottedChart> plotted = plot_sql(answer, request);
    EXPECT_TRUE(plotted.ok()) << plotted.error().message;
    return plotted.ok() ? plotted->chart.marks.size() : 0;
  };
  EXPECT_EQ(marks("SELECT 'c' || i AS c, i AS n FROM range(1000000) t(i)", std::nullopt), 60U);
  EXPECT_LE(marks("SELECT i AS x, sin(i) AS y FROM range(1000000) t(i)", std::nullopt), 2'000U);
  EXPECT_LE(
      marks("SELECT hash(i) % 100000 AS x, hash(i + 7) % 1000 AS y FROM range(1000000) t(i)", std::nullopt),
      4'000U);
  EXPECT_EQ(marks("SELECT i // 3000 AS x, i AS y, 's' || (i % 3000) AS s FROM range(30000) t(i)",
                  plot::Kind::kLine),
            12U * 10);
  EXPECT_LE(
      marks("SELECT i % 1000 AS a, i // 1000 AS b, i AS v FROM range(1000000) t(i)", plot::Kind::kHeatmap),
      10'000U);
  EXPECT_LE(marks("SELECT i / 7 AS x FROM range(1000000) t(i)", plot::Kind::kHistogram), 200U);
}

}  // namespace
}  // namespace sluice::datasets::plotting
