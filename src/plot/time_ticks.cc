#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sluice/plot/number_text.h"
#include "sluice/plot/ticks.h"

#include "calendar.h"

namespace sluice::plot {

namespace {

enum class TimeUnit : std::uint8_t { kSecond, kMonth };

// A distance between ticks: seconds, or months from the first of one.
struct TimeStep {
  TimeUnit unit;
  int count;

  double microseconds() const {
    constexpr double kDaysPerMonth = 365.2425 / 12;
    return unit == TimeUnit::kMonth ? count * kDaysPerMonth * kMicrosPerDay : count * kMicrosPerSecond;
  }
};

constexpr int kMinute = 60;
constexpr int kHour = 3'600;
constexpr int kDay = 86'400;
constexpr std::array<TimeStep, 34> kTimeSteps = {{{TimeUnit::kSecond, 1},
                                                  {TimeUnit::kSecond, 2},
                                                  {TimeUnit::kSecond, 5},
                                                  {TimeUnit::kSecond, 10},
                                                  {TimeUnit::kSecond, 15},
                                                  {TimeUnit::kSecond, 30},
                                                  {TimeUnit::kSecond, kMinute},
                                                  {TimeUnit::kSecond, 2 * kMinute},
                                                  {TimeUnit::kSecond, 5 * kMinute},
                                                  {TimeUnit::kSecond, 10 * kMinute},
                                                  {TimeUnit::kSecond, 15 * kMinute},
                                                  {TimeUnit::kSecond, 30 * kMinute},
                                                  {TimeUnit::kSecond, kHour},
                                                  {TimeUnit::kSecond, 2 * kHour},
                                                  {TimeUnit::kSecond, 3 * kHour},
                                                  {TimeUnit::kSecond, 6 * kHour},
                                                  {TimeUnit::kSecond, 12 * kHour},
                                                  {TimeUnit::kSecond, kDay},
                                                  {TimeUnit::kSecond, 2 * kDay},
                                                  {TimeUnit::kSecond, 7 * kDay},
                                                  {TimeUnit::kSecond, 14 * kDay},
                                                  {TimeUnit::kMonth, 1},
                                                  {TimeUnit::kMonth, 3},
                                                  {TimeUnit::kMonth, 6},
                                                  {TimeUnit::kMonth, 12},
                                                  {TimeUnit::kMonth, 2 * 12},
                                                  {TimeUnit::kMonth, 5 * 12},
                                                  {TimeUnit::kMonth, 10 * 12},
                                                  {TimeUnit::kMonth, 20 * 12},
                                                  {TimeUnit::kMonth, 50 * 12},
                                                  {TimeUnit::kMonth, 100 * 12},
                                                  {TimeUnit::kMonth, 500 * 12},
                                                  {TimeUnit::kMonth, 1'000 * 12},
                                                  {TimeUnit::kMonth, 10'000 * 12}}};

double first_tick(const TimeStep& step, double low) {
  if (step.unit == TimeUnit::kSecond) {
    const double width = step.microseconds();
    return std::ceil(low / width) * width;
  }
  const CalendarTime begin = calendar_time(low);
  int months = begin.year * 12 + static_cast<int>(begin.month) - 1;
  const int rest = ((months % step.count) + step.count) % step.count;
  months -= rest;
  if (month_start(0, months + 1) < low) months += step.count;
  return month_start(0, months + 1);
}

double next_tick(const TimeStep& step, double at) {
  if (step.unit == TimeUnit::kSecond) return at + step.microseconds();
  const CalendarTime time = calendar_time(at);
  return month_start(time.year, static_cast<int>(time.month) + step.count);
}

std::string year_text(int year) { return fmt::format("{}", year); }

// As much of the date as tells a tick from the one before: `previous` is null for the first.
std::string tick_label(const TimeStep& step, const CalendarTime& time, const CalendarTime* previous) {
  if (step.unit == TimeUnit::kMonth) {
    if (step.count % 12 == 0) return year_text(time.year);
    if (step.count == 3) return fmt::format("{} Q{}", time.year, (time.month + 2) / 3);
    return fmt::format("{}-{:02}", time.year, time.month);
  }
  const bool is_new_year = previous == nullptr || previous->year != time.year;
  const bool is_new_day = is_new_year || previous->month != time.month || previous->day != time.day;
  std::string date = fmt::format("{:02}-{:02}", time.month, time.day);
  if (is_new_year) date = year_text(time.year) + "-" + date;
  if (step.count >= kDay) return date;
  std::string clock = fmt::format("{:02}:{:02}", time.second / kHour, time.second / kMinute % 60);
  if (step.count < kMinute) clock += fmt::format(":{:02}", time.second % kMinute);
  return is_new_day ? date + " " + clock : clock;
}

}  // namespace

std::vector<Tick> time_ticks(const Range& range, std::size_t ticks_max) {
  const double width = range.high - range.low;
  const auto* step = std::find_if(kTimeSteps.begin(), kTimeSteps.end() - 1, [&](const TimeStep& one) {
    return width / one.microseconds() <= static_cast<double>(ticks_max) - 1;
  });
  std::vector<Tick> out;
  CalendarTime previous;
  for (double at = first_tick(*step, range.low); at <= range.high && out.size() < ticks_max;
       at = next_tick(*step, at)) {
    const CalendarTime time = calendar_time(at);
    out.push_back({.at = at, .label = tick_label(*step, time, out.empty() ? nullptr : &previous)});
    previous = time;
  }
  if (out.empty()) out.push_back({.at = range.low, .label = time_text(range.low, false)});
  return out;
}

}  // namespace sluice::plot
