#include "values/times.h"

#include <cstddef>
#include <limits>

#include "values/numbers.h"

namespace sluice::engine::postgres {

namespace {

constexpr std::int64_t kMicrosOfSecond = 1'000'000;
constexpr std::int64_t kMicrosOfDay = std::int64_t{86'400} * kMicrosOfSecond;
constexpr std::int64_t kOffsetMax = 57'599;  // 15:59:59.

// Days since 1970 of a date of the proleptic Gregorian calendar, year 0 being 1 BC: counted from a March, so
// that a leap day comes last, in eras of 400 years, all of which have 146,097 days.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  if (month <= 2) --year;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

// The digits up to `end`, which is taken as well; to the end of the text where there is no such character.
std::optional<std::int64_t> take_number(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::optional<std::int64_t> value = number_of<std::int64_t>(text.substr(0, at));
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return value;
}

// 05, 05.1 or 05.123456 as microseconds; a sign is allowed.
std::optional<std::int64_t> micros_of_seconds(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  std::string_view fraction;
  if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
    fraction = text.substr(point + 1);
    text = text.substr(0, point);
  }
  const std::optional<std::int64_t> seconds = number_of<std::int64_t>(text);
  if (!seconds || fraction.size() > 6) return std::nullopt;
  std::int64_t micros = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const char digit = i < fraction.size() ? fraction[i] : '0';
    if (digit < '0' || digit > '9') return std::nullopt;
    micros = micros * 10 + (digit - '0');
  }
  std::int64_t total = 0;
  if (__builtin_mul_overflow(*seconds, kMicrosOfSecond, &total)) return std::nullopt;
  if (__builtin_add_overflow(total, micros, &total)) return std::nullopt;
  return is_negative ? -total : total;
}

struct Split {
  std::int64_t days = 0;
  std::string_view rest;  // Behind the date.
};

std::optional<Split> split_date(std::string_view text) {
  const bool is_before_christ = text.ends_with(" BC");
  if (is_before_christ) text.remove_suffix(3);
  const std::size_t space = text.find(' ');
  std::string_view date = text.substr(0, space);
  const std::optional<std::int64_t> year = take_number(date, '-');
  const std::optional<std::int64_t> month = take_number(date, '-');
  const std::optional<std::int64_t> day = number_of<std::int64_t>(date);
  if (!year || !month || !day) return std::nullopt;
  return Split{.days = days_of(is_before_christ ? 1 - *year : *year, *month, *day),
               .rest = space == std::string_view::npos ? std::string_view() : text.substr(space + 1)};
}

// +05, -03:30 or +00:19:32 in seconds.
std::optional<std::int64_t> offset_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const bool is_west = text.front() == '-';
  text.remove_prefix(1);
  std::int64_t seconds = 0;
  for (const std::int64_t unit : {3'600, 60, 1}) {
    if (text.empty()) break;
    const std::optional<std::int64_t> value = take_number(text, ':');
    if (!value) return std::nullopt;
    seconds += *value * unit;
  }
  return is_west ? -seconds : seconds;
}

// What is added up of an interval's parts.
struct Sum {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t micros = 0;

  bool add(std::int64_t Sum::*part, std::int64_t count, std::int64_t unit) {
    std::int64_t value = 0;
    return !__builtin_mul_overflow(count, unit, &value) &&
           !__builtin_add_overflow(this->*part, value, &(this->*part));
  }
};

bool add_part(Sum& sum, std::string_view number, char unit, bool is_time) {
  if (is_time && unit == 'S') {
    const std::optional<std::int64_t> micros = micros_of_seconds(number);
    return micros && sum.add(&Sum::micros, *micros, 1);
  }
  const std::optional<std::int64_t> count = number_of<std::int64_t>(number);
  if (!count) return false;
  if (is_time && unit == 'H') return sum.add(&Sum::micros, *count, 3'600 * kMicrosOfSecond);
  if (is_time && unit == 'M') return sum.add(&Sum::micros, *count, 60 * kMicrosOfSecond);
  if (!is_time && unit == 'Y') return sum.add(&Sum::months, *count, 12);
  if (!is_time && unit == 'M') return sum.add(&Sum::months, *count, 1);
  return !is_time && unit == 'D' && sum.add(&Sum::days, *count, 1);
}

}  // namespace

std::optional<std::int32_t> date_of(std::string_view text) {
  if (text == "infinity") return std::numeric_limits<std::int32_t>::max();
  if (text == "-infinity") return -std::numeric_limits<std::int32_t>::max();
  const std::optional<Split> split = split_date(text);
  // The outermost values mean the infinities.
  if (!split || !split->rest.empty() || split->days >= std::numeric_limits<std::int32_t>::max() ||
      split->days <= -std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(split->days);
}

std::optional<std::int64_t> timestamp_of(std::string_view text) {
  if (text == "infinity") return std::numeric_limits<std::int64_t>::max();
  if (text == "-infinity") return -std::numeric_limits<std::int64_t>::max();
  const std::optional<Split> split = split_date(text);
  if (!split) return std::nullopt;
  std::string_view time = split->rest;
  if (time.ends_with("+00")) time.remove_suffix(3);
  const std::optional<std::int64_t> micros = time_of(time);
  std::int64_t value = 0;
  if (!micros || __builtin_mul_overflow(split->days, kMicrosOfDay, &value) ||
      __builtin_add_overflow(value, *micros, &value) || value == std::numeric_limits<std::int64_t>::max() ||
      value <= -std::numeric_limits<std::int64_t>::max()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> time_of(std::string_view text) {
  const std::optional<std::int64_t> hours = take_number(text, ':');
  const std::optional<std::int64_t> minutes = take_number(text, ':');
  const std::optional<std::int64_t> micros = micros_of_seconds(text);
  if (!hours || !minutes || !micros || *hours < 0 || *hours > 24) return std::nullopt;
  return (*hours * 3'600 + *minutes * 60) * kMicrosOfSecond + *micros;
}

std::optional<std::uint64_t> time_with_zone_of(std::string_view text) {
  const std::size_t sign = text.find_first_of("+-");
  if (sign == std::string_view::npos) return std::nullopt;
  const std::optional<std::int64_t> micros = time_of(text.substr(0, sign));
  const std::optional<std::int64_t> offset = offset_of(text.substr(sign));
  if (!micros || !offset || *offset > kOffsetMax || *offset < -kOffsetMax) return std::nullopt;
  return (static_cast<std::uint64_t>(*micros) << 24U) | static_cast<std::uint64_t>(kOffsetMax - *offset);
}

std::optional<IntervalCell> interval_of(std::string_view text) {
  if (!text.starts_with('P')) return std::nullopt;
  text.remove_prefix(1);
  Sum sum;
  bool is_time = false;
  while (!text.empty()) {
    if (text.front() == 'T') {
      is_time = true;
      text.remove_prefix(1);
      continue;
    }
    const std::size_t unit = text.find_first_not_of("+-.0123456789");
    if (unit == std::string_view::npos || !add_part(sum, text.substr(0, unit), text[unit], is_time)) {
      return std::nullopt;
    }
    text.remove_prefix(unit + 1);
  }
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  if (sum.months > kMax || sum.months < -kMax || sum.days > kMax || sum.days < -kMax) return std::nullopt;
  return IntervalCell{.months = static_cast<std::int32_t>(sum.months),
                      .days = static_cast<std::int32_t>(sum.days),
                      .micros = sum.micros};
}

}  // namespace sluice::engine::postgres
