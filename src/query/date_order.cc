#include "date_order.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

namespace sluice::query {

namespace {

constexpr std::string_view kDayFirst = "day-month-year";
constexpr std::string_view kMonthFirst = "month-day-year";
constexpr std::string_view kYearFirst = "year-month-day";
constexpr std::size_t kTellingDates = 3;
constexpr int kMonthsOfYear = 12;
constexpr unsigned kMiddleOfMonth = 15;
constexpr int kMuchNarrower = 10;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes up to `most` digits off; how many there were.
std::size_t take_digits(std::string_view& text, std::size_t most) {
  std::size_t count = 0;
  while (count < most && count < text.size() && is_digit(text[count])) ++count;
  text.remove_prefix(count);
  return count;
}

bool take(std::string_view& text, char wanted) {
  if (!text.starts_with(wanted)) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

struct TimeForm {
  std::string format;
  std::string pattern;
};

// The rest of a value behind its date; nothing if it is no time of day. Offsets are left to the engine.
std::optional<TimeForm> time_form(std::string_view rest) {
  if (rest.empty()) return TimeForm{};
  TimeForm out;
  const char gap = rest.front();
  if (gap != ' ' && gap != 'T') return std::nullopt;
  rest.remove_prefix(1);
  if (take_digits(rest, 2) == 0 || !take(rest, ':') || take_digits(rest, 2) != 2) return std::nullopt;
  std::string clock = ":%M";
  std::string digits = ":[0-9]{2}";
  if (take(rest, ':')) {
    if (take_digits(rest, 2) != 2) return std::nullopt;
    clock += ":%S";
    digits += ":[0-9]{2}";
    if (take(rest, '.')) {
      if (take_digits(rest, 6) == 0) return std::nullopt;
      clock += ".%f";
      digits += "[.][0-9]{1,6}";
    }
  }
  const bool has_half = !rest.empty();
  if (has_half) {
    const bool is_spaced = take(rest, ' ');
    if (rest.size() != 2 || (rest[0] | 0x20) == 0 || (rest[1] | 0x20) != 'm') return std::nullopt;
    if ((rest[0] | 0x20) != 'a' && (rest[0] | 0x20) != 'p') return std::nullopt;
    clock += is_spaced ? " %p" : "%p";
    digits += is_spaced ? " [AaPp][Mm]" : "[AaPp][Mm]";
  }
  out.format = std::string(1, gap) + (has_half ? "%I" : "%H") + clock;
  out.pattern = std::string(1, gap) + "[0-9]{1,2}" + digits;
  return out;
}

bool is_time(std::string_view text) {
  const std::string spaced = " " + std::string(text);
  return text.find(':') != std::string_view::npos && time_form(spaced).has_value();
}

using std::chrono::year_month_day;

bool is_month_end(const year_month_day& date) {
  return date.day() == (date.year() / date.month() / std::chrono::last).day();
}

int month_index(const year_month_day& date) {
  return static_cast<int>(date.year()) * kMonthsOfYear +
         static_cast<int>(static_cast<unsigned>(date.month()));
}

// Months, quarters or half-years, at their beginning, middle or end.
bool steps_by_months(const std::vector<std::chrono::sys_days>& dates) {
  const year_month_day first(dates.front());
  const int step = month_index(year_month_day(dates[1])) - month_index(first);
  if (step != 1 && step != 3 && step != 6) return false;
  bool same_day = true;
  bool all_ends = true;
  for (std::size_t i = 0; i < dates.size(); ++i) {
    const year_month_day date(dates[i]);
    same_day = same_day && date.day() == first.day();
    all_ends = all_ends && is_month_end(date);
    if (month_index(date) != month_index(first) + static_cast<int>(i) * step) return false;
  }
  const auto day = static_cast<unsigned>(first.day());
  return all_ends || (same_day && (day == 1 || day == kMiddleOfMonth));
}

// A constant number of days, or of months on any day.
bool steps_evenly(const std::vector<std::chrono::sys_days>& dates) {
  const auto step = dates[1] - dates[0];
  const year_month_day first(dates[0]);
  const int months = month_index(year_month_day(dates[1])) - month_index(first);
  bool by_months = months > 0;
  for (std::size_t i = 1; i < dates.size() && by_months; ++i) {
    const year_month_day date(dates[i]);
    by_months =
        date.day() == first.day() && month_index(date) == month_index(first) + static_cast<int>(i) * months;
  }
  if (by_months) return true;
  for (std::size_t i = 1; i < dates.size(); ++i) {
    if (dates[i] - dates[i - 1] != step) return false;
  }
  return true;
}

}  // namespace

std::vector<DateFormat> date_formats(std::string_view value) {
  std::string_view rest = trimmed(value);
  const std::size_t first = take_digits(rest, 4);
  if (first == 0 || first == 3 || rest.empty()) return {};
  const char gap = rest.front();
  if (gap != '/' && gap != '-' && gap != '.') return {};
  rest.remove_prefix(1);
  if (const std::size_t middle = take_digits(rest, 2); middle == 0 || !take(rest, gap)) return {};
  const std::size_t last = take_digits(rest, 4);
  const std::optional<TimeForm> time = time_form(rest);
  if (!time) return {};
  const std::string separator = gap == '.' ? "[.]" : std::string(1, gap);
  std::vector<DateFormat> out;
  const auto add = [&](std::string_view format, std::string_view pattern, std::string_view order) {
    DateFormat one{.format = {}, .pattern = {}, .order = order, .has_time = !time->format.empty()};
    for (const char c : format) one.format += c == '-' ? std::string(1, gap) : std::string(1, c);
    for (const char c : pattern) {
      if (c == 's') one.pattern += separator;
      if (c == '1') one.pattern += "[0-9]{1,2}";
      if (c == '2') one.pattern += "[0-9]{2}";
      if (c == '4') one.pattern += "[0-9]{4}";
    }
    one.format += time->format;
    one.pattern += time->pattern;
    out.push_back(std::move(one));
  };
  if (first == 4 && (last == 1 || last == 2)) add("%Y-%m-%d", "4s1s1", kYearFirst);
  if (first <= 2 && last == 4) {
    add("%d-%m-%Y", "1s1s4", kDayFirst);
    add("%m-%d-%Y", "1s1s4", kMonthFirst);
  }
  if (first <= 2 && last == 2) {
    if (first == 2) add("%y-%m-%d", "2s1s2", kYearFirst);
    add("%d-%m-%y", "1s1s2", kDayFirst);
    add("%m-%d-%y", "1s1s2", kMonthFirst);
  }
  return out;
}

bool looks_like_date(std::string_view value) {
  value = trimmed(value);
  if (!date_formats(value).empty() || is_time(value)) return true;
  // With an offset or Z, which date_formats leaves out.
  const bool has_date = value.size() >= 16 && !date_formats(value.substr(0, 10)).empty();
  return has_date && (value[10] == 'T' || value[10] == ' ') && value[13] == ':';
}

Regularity regularity_of(const std::vector<std::chrono::sys_days>& dates) {
  if (dates.size() < kTellingDates) return Regularity::kNone;
  if (steps_by_months(dates)) return Regularity::kMonths;
  return steps_evenly(dates) ? Regularity::kEven : Regularity::kNone;
}

std::optional<std::size_t> narrowest(const std::vector<std::vector<std::chrono::sys_days>>& readings) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (readings[i].size() < 2) return std::nullopt;
    const auto span = readings[i].back() - readings[i].front();
    const bool is_narrowest =
        std::all_of(readings.begin(), readings.end(), [&](const std::vector<std::chrono::sys_days>& other) {
          return &other == &readings[i] || kMuchNarrower * span < other.back() - other.front();
        });
    if (is_narrowest) best = i;
  }
  return best;
}

std::optional<std::size_t> most_regular(const std::vector<std::vector<std::chrono::sys_days>>& readings) {
  std::optional<std::size_t> best;
  Regularity most = Regularity::kNone;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Regularity found = regularity_of(readings[i]);
    if (found == Regularity::kNone || found < most) continue;
    best = found > most ? std::optional(i) : std::nullopt;  // As regular as another: no reading is the one.
    most = found;
  }
  return best;
}

}  // namespace sluice::query
