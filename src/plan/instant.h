#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::plan {

// A moment in UTC, as exact as its text.
struct Instant {
  std::int64_t days = 0;   // Since 1970-01-01.
  std::int64_t nanos = 0;  // Within the day: 0 up to, not including, 24 hours.
  bool has_rest = false;   // Digits beyond nanoseconds were not zero.
};

// ISO 8601: 2024-05-17, 2024-05-17T10:30, 2024-05-17 10:30:00.5+02:00. A time without an offset is in UTC.
// Years from -9999 to 32767; one outside 0000 to 9999 needs a sign or five digits.
std::optional<Instant> parse_instant(std::string_view text);

// 10:30, 10:30:00.5: the time within a day, up to 24:00:00. `days` is 0.
std::optional<Instant> parse_time_of_day(std::string_view text);

// As the engine reads them: 2024-05-17, and 0044-03-15 (BC) for a year before 1.
std::string date_text(std::int64_t days);
// With as many digits behind the point as `digits` says: 0, 3, 6 or 9.
std::string clock_text(std::int64_t nanos, unsigned digits);

}  // namespace sluice::plan
