#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::query {

// One way to read dates that are not written as ISO 8601 does.
struct DateFormat {
  std::string format;      // For strptime: `%d/%m/%Y %H:%M`.
  std::string pattern;     // A regular expression for the whole value: `[0-9]{1,2}/[0-9]{1,2}/[0-9]{4} …`.
  std::string_view order;  // For people: "day-month-year", "month-day-year" or "year-month-day".
  bool has_time = false;
};

// The ways in which a value such as `01/02/2024`, `31.12.24` or `1/2/2024 9:30 PM` can be meant; empty if it
// does not look like a date.
std::vector<DateFormat> date_formats(std::string_view value);

// Whether a value looks like a date, a time or both, also as ISO 8601 writes them.
bool looks_like_date(std::string_view value);

// How even the steps between dates are. Series of months are more telling than series of days: twelve days
// in a row that all lie within the first twelve of a month are rare, twelve months in a row are common.
enum class Regularity : std::uint8_t { kNone, kEven, kMonths };

// Of distinct dates in ascending order. Fewer than three say nothing.
Regularity regularity_of(const std::vector<std::chrono::sys_days>& dates);

// Of several readings of the same column, the one that is more regular than all the others; nothing if there
// is no such reading.
std::optional<std::size_t> most_regular(const std::vector<std::vector<std::chrono::sys_days>>& readings);

// The one whose dates lie much closer together than in all the others; nothing if there is no such reading.
// With years of two digits, another field taken for the year scatters the dates over decades.
std::optional<std::size_t> narrowest(const std::vector<std::vector<std::chrono::sys_days>>& readings);

}  // namespace sluice::query
