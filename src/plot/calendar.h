#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

namespace sluice::plot {

inline constexpr double kMicrosPerSecond = 1e6;
inline constexpr double kMicrosPerDay = 86'400 * kMicrosPerSecond;

// What dates that can be drawn are within: the years -9999 to 29999 or so. std::chrono::year holds them all.
inline constexpr double kMicrosMax = 32'000 * 365.0 * kMicrosPerDay - 2'000 * 365.0 * kMicrosPerDay;

// A moment in UTC, in the proleptic Gregorian calendar.
struct CalendarTime {
  int year = 1970;
  unsigned month = 1;
  unsigned day = 1;
  int second = 0;  // Of the day.
  int microsecond = 0;
};

inline CalendarTime calendar_time(double microseconds) {
  const double days = std::floor(microseconds / kMicrosPerDay);
  const auto rest = static_cast<std::int64_t>(microseconds - days * kMicrosPerDay);
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .second = static_cast<int>(rest / 1'000'000),
          .microsecond = static_cast<int>(rest % 1'000'000)};
}

// The first moment of a month; `month` may be beyond 12 or below 1.
inline double month_start(int year, int month) {
  const int months = year * 12 + month - 1;
  const int whole = months >= 0 ? months / 12 : (months - 11) / 12;
  const std::chrono::year_month_day date{std::chrono::year(whole),
                                         std::chrono::month(static_cast<unsigned>(months - whole * 12 + 1)),
                                         std::chrono::day(1)};
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()) * kMicrosPerDay;
}

}  // namespace sluice::plot
