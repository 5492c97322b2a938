#include "time_text.h"

#include <chrono>
#include <limits>

#include <fmt/format.h>

namespace sluice::render {

namespace {

constexpr std::int64_t kDaySeconds = 86'400;
constexpr std::int64_t kMicros = 1'000'000;

// ".789", or nothing for a whole second.
std::string fraction(std::int64_t part, std::int64_t per_second) {
  if (part == 0) return "";
  std::string digits = fmt::format("{}", per_second + part).substr(1);
  while (digits.back() == '0') digits.pop_back();
  return "." + digits;
}

std::string clock_text(std::int64_t seconds) {
  return fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// The civil date of a day count, by Howard Hinnant's algorithm: std::chrono's year ends at 32767.
std::string civil(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const std::int64_t day_of_era = days - era * 146'097;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;
  const std::int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  const std::int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
  if (year < 0) return fmt::format("-{:04}-{:02}-{:02}", -year, month, day);
  if (year > 9'999) return fmt::format("+{}-{:02}-{:02}", year, month, day);
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

std::int64_t floor_div(std::int64_t value, std::int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

}  // namespace

std::string date_text(std::int32_t days) {
  if (days == std::numeric_limits<std::int32_t>::max()) return "infinity";
  if (days == -std::numeric_limits<std::int32_t>::max()) return "-infinity";
  return civil(days);
}

std::string time_text(std::int64_t count, std::int64_t per_second) {
  return clock_text(count / per_second) + fraction(count % per_second, per_second);
}

std::string time_tz_text(std::uint64_t bits) {
  constexpr std::int64_t kOffsetMax = 57'599;  // 15:59:59
  const auto micros = static_cast<std::int64_t>(bits >> 24U);
  const std::int64_t offset = kOffsetMax - static_cast<std::int64_t>(bits & 0xFFFFFFU);
  const std::int64_t size = offset < 0 ? -offset : offset;
  std::string out = time_text(micros, kMicros);
  out += fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', size / 3600, size / 60 % 60);
  if (size % 60 != 0) out += fmt::format(":{:02}", size % 60);
  return out;
}

std::string timestamp_text(std::int64_t count, std::int64_t per_second) {
  if (count == std::numeric_limits<std::int64_t>::max()) return "infinity";
  if (count == -std::numeric_limits<std::int64_t>::max()) return "-infinity";
  const std::int64_t seconds = floor_div(count, per_second);
  const std::int64_t days = floor_div(seconds, kDaySeconds);
  return civil(days) + "T" + clock_text(seconds - days * kDaySeconds) +
         fraction(count - seconds * per_second, per_second);
}

std::string interval_text(engine::IntervalCell cell) {
  std::string out = "P";
  const auto part = [&out](std::int64_t value, char unit) {
    if (value != 0) out += fmt::format("{}{}", value, unit);
  };
  part(cell.months / 12, 'Y');
  part(cell.months % 12, 'M');
  part(cell.days, 'D');
  if (cell.micros != 0) {
    const std::int64_t seconds = cell.micros / kMicros;
    const std::int64_t rest = cell.micros % kMicros;
    out += 'T';
    part(seconds / 3600, 'H');
    part(seconds / 60 % 60, 'M');
    if (seconds % 60 != 0 || rest != 0) {
      const char* sign = seconds % 60 < 0 || rest < 0 ? "-" : "";
      const std::int64_t whole = seconds % 60 < 0 ? -(seconds % 60) : seconds % 60;
      out += fmt::format("{}{}{}S", sign, whole, fraction(rest < 0 ? -rest : rest, kMicros));
    }
  }
  return out == "P" ? "PT0S" : out;
}

}  // namespace sluice::render
