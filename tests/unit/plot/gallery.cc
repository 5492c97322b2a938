#include "gallery.h"

#include <cmath>
#include <limits>
#include <utility>

namespace sluice::plot::testing {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kDay = 86'400e6;

// A generator of its own, so that the pictures are the same with every standard library.
class Noise {
 public:
  double next() {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<double>(state_ >> 11U) / 9'007'199'254'740'992.0;
  }

 private:
  std::uint64_t state_ = 20'240'101;
};

class Gallery {
 public:
  std::vector<GalleryPicture> build() {
    add_bars();
    add_bar_labels();
    add_lines();
    add_times();
    add_areas();
    add_points();
    add_histograms();
    add_heatmaps();
    add_edges();
    add_hostile();
    return std::move(out_);
  }

 private:
  Chart& add(std::string name, Kind kind, std::string title) {
    out_.push_back({.name = std::move(name), .chart = {}});
    Chart& chart = out_.back().chart;
    chart.kind = kind;
    chart.title = std::move(title);
    chart.description = std::string(to_string(kind)) + " chart";
    return chart;
  }

  static Axis categories(std::string name, std::vector<std::string> values) {
    return {.name = std::move(name), .type = AxisType::kCategory, .categories = std::move(values)};
  }
  static Axis number(std::string name) { return {.name = std::move(name)}; }
  static Axis time(std::string name, bool is_whole) {
    return {.name = std::move(name), .type = AxisType::kTime, .is_whole = is_whole};
  }
  static void add_values(Chart& chart, const std::vector<double>& values, std::size_t series = 0) {
    for (std::size_t i = 0; i < values.size(); ++i)
      chart.marks.push_back({.x = static_cast<double>(i), .y = values[i], .series = series});
  }

  void add_bars() {
    Chart& plain = add("bar", Kind::kBar, "Flights by origin");
    plain.x = categories("origin", {"ATL", "ORD", "DFW", "LAX", "PHX", "DEN", "DTW", "MSP"});
    plain.y = number("flights");
    add_values(plain, {178'432, 156'210, 131'009, 120'771, 98'002, 91'455, 76'230, 70'001});
    Chart dark = plain;
    dark.theme = Theme::kDark;
    out_.push_back({.name = "bar_dark", .chart = std::move(dark)});

    Chart& negative = add("bar_negative", Kind::kBar, "Balance by quarter");
    negative.x = categories("quarter", {"2023 Q1", "2023 Q2", "2023 Q3", "2023 Q4", "2024 Q1", "2024 Q2"});
    negative.y = {.name = "balance", .unit = "million AMD"};
    add_values(negative, {12.5, -3.25, -8, 4.75, kNaN, -0.5});

    Chart& grouped = add("bar_series", Kind::kBar, "Medals by country");
    grouped.x = categories("country", {"Armenia", "Georgia", "Greece", "Egypt", "Serbia"});
    grouped.y = {.name = "medals", .is_whole = true};
    grouped.series = {"gold", "silver", "bronze"};
    add_values(grouped, {2, 4, 2, 1, 3}, 0);
    add_values(grouped, {2, 3, 1, 1, 1}, 1);
    add_values(grouped, {1, 0, 6, 1, 1}, 2);
    Chart stacked = grouped;
    stacked.is_stacked = true;
    out_.push_back({.name = "bar_stacked", .chart = std::move(stacked)});

    Chart& log = add("bar_log", Kind::kBar, "Population of places");
    log.x = categories("place", {"hamlet", "village", "town", "city", "country"});
    log.y = {.name = "people", .scale = Scale::kLog};
    add_values(log, {40, 900, 21'000, 1'100'000, 67'000'000});
  }

  void add_bar_labels() {
    Chart& armenian = add("bar_armenian", Kind::kBar, "Բյուջեն ըստ նախարարությունների");
    armenian.x =
        categories("նախարարություն",
                   {"Կրթության, գիտության, մշակույթի և սպորտի նախարարություն", "Պաշտպանության նախարարություն",
                    "Առողջապահության նախարարություն", "Ֆինանսների նախարարություն"});
    armenian.y = {.name = "հատկացում", .unit = "դրամ"};
    add_values(armenian, {203.5e9, 511.25e9, 148e9, 96.75e9});

    Chart& arabic = add("bar_arabic", Kind::kBar, "السكان حسب المدينة");
    arabic.x = categories("المدينة", {"القاهرة", "بغداد", "الرياض", "الإسكندرية"});
    arabic.y = number("السكان");
    add_values(arabic, {10.2e6, 8.1e6, 7.7e6, 5.3e6});

    Chart& many = add("bar_sixty", Kind::kBar, "Sixty categories");
    many.x = categories("code", {});
    many.y = number("value");
    Noise noise;
    for (int i = 0; i < 60; ++i) {
      many.x.categories.push_back("category " + std::to_string(i + 1));
      many.marks.push_back({.x = static_cast<double>(i), .y = 1'000 * noise.next()});
    }
    Chart narrow = many;
    narrow.width = 320;
    narrow.height = 240;
    out_.push_back({.name = "bar_sixty_small", .chart = std::move(narrow)});
  }

  void add_lines() {
    Chart& plain = add("line", Kind::kLine, "A line of numbers");
    plain.x = number("step");
    plain.y = number("loss");
    for (int i = 0; i <= 100; ++i) plain.marks.push_back({.x = i * 1.0, .y = 2.5 / (1 + 0.1 * i) + 0.1});

    Chart& gaps = add("line_gaps", Kind::kLine, "Missing values are gaps");
    gaps.x = {.name = "hour", .is_whole = true};
    gaps.y = {.name = "temperature", .unit = "°C"};
    add_values(gaps, {3, 2.5, 2, kNaN, 1.5, kNaN, kNaN, 4, 6, 9, 12, kNaN, 14});

    Chart& series = add("line_twelve", Kind::kLine, "Twelve series");
    series.x = number("x");
    series.y = number("y");
    for (std::size_t s = 0; s < 12; ++s) {
      series.series.push_back("series number " + std::to_string(s + 1));
      for (int i = 0; i <= 60; ++i) {
        series.marks.push_back(
            {.x = i * 1.0,
             .y = std::sin(i * 0.1 + static_cast<double>(s) * 0.5) * 10 + 4.0 * static_cast<double>(s),
             .series = s});
      }
    }
    Chart dark = series;
    dark.theme = Theme::kDark;
    out_.push_back({.name = "line_twelve_dark", .chart = std::move(dark)});

    Chart& dense = add("line_dense", Kind::kLine, "Two thousand points");
    dense.x = number("sample");
    dense.y = number("signal");
    Noise noise;
    double level = 0;
    for (int i = 0; i < 2'000; ++i) {
      level += noise.next() - 0.5;
      dense.marks.push_back({.x = i * 1.0, .y = level});
    }

    Chart& log = add("line_log", Kind::kLine, "Both axes logarithmic");
    log.x = {.name = "size", .scale = Scale::kLog};
    log.y = {.name = "seconds", .scale = Scale::kLog};
    for (int i = 0; i <= 12; ++i) log.marks.push_back({.x = std::pow(4, i), .y = 1e-6 * std::pow(4.5, i)});

    Chart& text = add("line_text", Kind::kLine, "A line over names");
    text.x = categories("month", {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct"});
    text.y = number("visits");
    add_values(text, {120, 180, 150, 240, 310, 290, 400, 380, 260, 230});

    Chart& ranged = add("line_range", Kind::kLine, "A part of the range");
    ranged.x = {.name = "x", .range = Range{20, 60}};
    ranged.y = {.name = "y", .range = Range{-5, 5}};
    for (int i = 0; i <= 100; ++i) ranged.marks.push_back({.x = i * 1.0, .y = 9 * std::sin(i * 0.2)});
  }

  void add_time_line(const std::string& name, const std::string& title, double begin, double step,
                     int count) {
    Chart& chart = add(name, Kind::kLine, title);
    chart.x = time("when", step >= kDay);
    chart.y = number("requests");
    Noise noise;
    for (int i = 0; i < count; ++i)
      chart.marks.push_back({.x = begin + i * step, .y = 100 + 20 * std::sin(i * 0.3) + 10 * noise.next()});
  }

  void add_times() {
    constexpr double kYear2024 = 1'704'067'200e6;
    add_time_line("time_minutes", "Forty minutes", kYear2024 + 13 * 3'600e6, 60e6, 40);
    add_time_line("time_hours", "Two days by the hour", kYear2024 - kDay / 2, 3'600e6, 48);
    add_time_line("time_days", "Six weeks by the day", kYear2024 - 20 * kDay, kDay, 42);
    add_time_line("time_months", "Two years by the week", kYear2024, 7 * kDay, 104);
    add_time_line("time_years", "Thirty years by the month", kYear2024 - 30 * 365 * kDay, 30 * kDay, 365);
    add_time_line("time_centuries", "Before 1970", -400 * 365 * kDay, 3'650 * kDay, 45);
  }

  void add_areas() {
    Chart& plain = add("area", Kind::kArea, "Storage in use");
    plain.x = time("day", true);
    plain.y = {.name = "bytes", .unit = "B"};
    for (int i = 0; i < 90; ++i)
      plain.marks.push_back({.x = 1.7e15 + i * kDay, .y = 2e9 + 4e7 * i + 3e8 * std::sin(i * 0.4)});

    Chart& stacked = add("area_stacked", Kind::kArea, "Energy by source");
    stacked.x = {.name = "year", .is_whole = true};
    stacked.y = {.name = "energy", .unit = "TWh"};
    stacked.series = {"hydro", "nuclear", "gas", "solar"};
    stacked.is_stacked = true;
    for (std::size_t s = 0; s < 4; ++s) {
      for (int i = 0; i <= 12; ++i) {
        stacked.marks.push_back({.x = 2010.0 + i,
                                 .y = 2 + static_cast<double>(s) + std::cos(i * 0.5 + static_cast<double>(s)),
                                 .series = s});
      }
    }
    Chart overlapping = stacked;
    overlapping.is_stacked = false;
    out_.push_back({.name = "area_series", .chart = std::move(overlapping)});
  }

  void add_points() {
    Chart& plain = add("point", Kind::kPoint, "Weight and fuel");
    plain.x = {.name = "weight", .unit = "kg"};
    plain.y = {.name = "fuel", .unit = "l/100 km"};
    plain.series = {"Europe", "Japan", "USA"};
    Noise noise;
    for (int i = 0; i < 180; ++i) {
      const double weight = 800 + 1'200 * noise.next();
      plain.marks.push_back({.x = weight,
                             .y = weight / 180 + 3 * noise.next(),
                             .series = static_cast<std::size_t>(noise.next() * 3)});
    }
    Chart& many = add("point_many", Kind::kPoint, "Many points");
    many.x = number("x");
    many.y = number("y");
    for (int i = 0; i < 1'600; ++i) {
      const double angle = noise.next() * 6.28318;
      const double radius = noise.next();
      many.marks.push_back({.x = radius * std::cos(angle), .y = radius * std::sin(angle)});
    }
    Chart& log = add("point_log", Kind::kPoint, "Income and life expectancy");
    log.x = {.name = "income", .scale = Scale::kLog};
    log.y = number("years");
    for (int i = 0; i < 120; ++i) {
      const double income = std::pow(10, 2.5 + 2.5 * noise.next());
      log.marks.push_back({.x = income, .y = 20 + 12 * std::log10(income) + 8 * noise.next()});
    }
  }

  void add_histograms() {
    Chart& plain = add("histogram", Kind::kHistogram, "Delays");
    plain.x = {.name = "delay", .unit = "min"};
    plain.y = {.name = "rows", .is_whole = true};
    for (int i = 0; i < 30; ++i) {
      plain.marks.push_back({.x = i * 10 - 60.0,
                             .y = std::round(12'000 * std::exp(-(i - 6) * (i - 6) / 20.0)),
                             .x_end = i * 10 - 50.0});
    }
    Chart& many = add("histogram_many", Kind::kHistogram, "Two hundred bins");
    many.x = number("value");
    many.y = {.name = "rows", .scale = Scale::kLog};
    Noise noise;
    for (int i = 0; i < 200; ++i) {
      many.marks.push_back({.x = i * 0.05,
                            .y = std::floor(10'000 * std::exp(-i * 0.05) * (0.5 + noise.next())),
                            .x_end = (i + 1) * 0.05});
    }
  }

  void add_heatmaps() {
    Chart& plain = add("heatmap", Kind::kHeatmap, "Requests by day and hour");
    plain.x = categories("hour", {});
    plain.y = categories("day", {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"});
    plain.value_name = "requests";
    for (int hour = 0; hour < 24; ++hour) plain.x.categories.push_back(std::to_string(hour));
    for (int day = 0; day < 7; ++day) {
      for (int hour = 0; hour < 24; ++hour) {
        if (day == 2 && hour == 5) continue;
        const double load = std::exp(-(hour - 14) * (hour - 14) / 30.0) * (day < 5 ? 900 : 300);
        plain.marks.push_back({.x = hour * 1.0, .y = day * 1.0, .value = std::round(load)});
      }
    }
    Chart dark = plain;
    dark.theme = Theme::kDark;
    out_.push_back({.name = "heatmap_dark", .chart = std::move(dark)});

    Chart& binned = add("heatmap_binned", Kind::kHeatmap, "A million points as cells");
    binned.x = number("x");
    binned.y = number("y");
    binned.value_name = "rows";
    for (int i = 0; i < 50; ++i) {
      for (int j = 0; j < 40; ++j) {
        const double dx = (i - 25) / 9.0;
        const double dy = (j - 16) / 5.0;
        const double rows = std::floor(4'000 * std::exp(-dx * dx - dy * dy + dx * dy));
        if (rows < 1) continue;
        binned.marks.push_back(
            {.x = i * 0.1, .y = j * 2.0, .x_end = (i + 1) * 0.1, .y_end = (j + 1) * 2.0, .value = rows});
      }
    }
  }

  void add_edges() {
    for (const Kind kind : {Kind::kBar, Kind::kLine, Kind::kArea, Kind::kPoint}) {
      Chart& chart = add("one_" + std::string(to_string(kind)), kind, "One mark");
      chart.x = kind == Kind::kBar ? categories("name", {"only"}) : number("x");
      chart.y = number("y");
      chart.marks.push_back({.x = kind == Kind::kBar ? 0.0 : 3.0, .y = 42});
    }
    Chart& flat = add("line_flat", Kind::kLine, "All values are equal");
    flat.x = number("x");
    flat.y = number("y");
    add_values(flat, {7, 7, 7, 7});
    Chart& zero = add("bar_zero", Kind::kBar, "All values are zero");
    zero.x = categories("name", {"a", "b"});
    zero.y = {.name = "n", .is_whole = true};
    add_values(zero, {0, 0});
    Chart& none = add("no_marks", Kind::kLine, "No marks");
    none.x = number("x");
    none.y = number("y");
    Chart& huge = add("line_huge", Kind::kLine, "");
    huge.x = number("x");
    huge.y = number("y");
    add_values(huge, {-9e299, 1.7e308, 3e299, kNaN, 9e299});
    Chart& tiny = add("line_tiny", Kind::kLine, "");
    tiny.x = number("x");
    tiny.y = number("y");
    add_values(tiny, {1e-300, 3e-300, 2e-300});
    Chart& close = add("line_close", Kind::kLine, "Large numbers that differ little");
    close.x = {.name = "x", .is_whole = true};
    close.y = {.name = "y", .is_whole = true};
    add_values(close, {1'234'567'001, 1'234'567'004, 1'234'567'002});
  }

  void add_hostile() {
    Chart& chart = add("hostile", Kind::kBar, "</title><script>alert(1)</script> & \"quotes\" \x01\x1b[31m");
    chart.x = categories("</text><script>alert(2)</script>",
                         {"<b>bold</b>", "\u202egnihton\u202c", "\xff\xfe not UTF-8",
                          std::string(10'240, 'x'), "", "line\nbreak\tand \u200b\u0000", "日本語の長いラベル",
                          "e\u0301e\u0301e\u0301 combining", "👩‍👩‍👧 family"});
    chart.y = number("'); DROP TABLE data; --");
    chart.series = {"]]>", "&amp;"};
    add_values(chart, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0);
    add_values(chart, {9, 8, 7, 6, 5, 4, 3, 2, 1}, 1);
  }

  std::vector<GalleryPicture> out_;
};

}  // namespace

std::vector<GalleryPicture> gallery() { return Gallery().build(); }

}  // namespace sluice::plot::testing
