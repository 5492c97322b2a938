#include "instant.h"

#include <chrono>

#include <fmt/format.h>

#include "digit.h"

namespace sluice::plan {

namespace {

constexpr std::int64_t kNanosPerSecond = 1'000'000'000;
constexpr std::int64_t kNanosPerDay = 86'400 * kNanosPerSecond;
constexpr int kYearMax = 32'767;
constexpr int kYearMin = -9'999;

// Reads a text from its beginning.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool is_done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // The digits that follow, if there are at least `min` and at most `max`.
  std::optional<std::string_view> digits(std::size_t min, std::size_t max) {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) ++count;
    if (count < min || count > max) return std::nullopt;
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }
  std::optional<int> number(std::size_t min, std::size_t max) {
    const std::optional<std::string_view> text = digits(min, max);
    if (!text) return std::nullopt;
    int value = 0;
    for (const char c : *text) value = value * 10 + (c - '0');
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<std::int64_t> take_date(Scanner& in) {
  const bool is_negative = in.peek() == '-';
  if (!in.take('-')) in.take('+');
  const std::optional<int> year = in.number(4, 5);
  const char separator = in.peek();
  if (!year || (separator != '-' && separator != '/') || !in.take(separator)) return std::nullopt;
  const std::optional<int> month = in.number(1, 2);
  if (!month || !in.take(separator)) return std::nullopt;
  const std::optional<int> day = in.number(1, 2);
  if (!day || *year > kYearMax || (is_negative && -*year < kYearMin)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(is_negative ? -*year : *year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

// Up to 24:00:00.
bool take_clock(Scanner& in, Instant& out) {
  const std::optional<int> hour = in.number(1, 2);
  if (!hour || !in.take(':')) return false;
  const std::optional<int> minute = in.number(2, 2);
  std::optional<int> second = 0;
  if (in.take(':')) second = in.number(2, 2);
  if (!minute || !second || *hour > 24 || *minute > 59 || *second > 59) return false;
  out.nanos = (std::int64_t{*hour} * 3'600 + *minute * 60 + *second) * kNanosPerSecond;
  if (in.take('.') || in.take(',')) {
    constexpr std::size_t kFractionMax = 100;
    const std::optional<std::string_view> fraction = in.digits(1, kFractionMax);
    if (!fraction) return false;
    std::int64_t unit = kNanosPerSecond;
    for (const char c : *fraction) {
      unit /= 10;
      out.nanos += unit * (c - '0');
      out.has_rest |= unit == 0 && c != '0';
    }
  }
  return out.nanos < kNanosPerDay || (out.nanos == kNanosPerDay && !out.has_rest);
}

// Z, +02, +02:00 or +0200: nanoseconds east of UTC. Nothing is UTC.
std::optional<std::int64_t> take_offset(Scanner& in) {
  in.take(' ');
  if (in.is_done() || in.take('Z') || in.take('z')) return 0;
  const bool is_west = in.peek() == '-';
  if (!in.take('-') && !in.take('+')) return std::nullopt;
  const std::optional<std::string_view> digits = in.digits(1, 4);
  if (!digits) return std::nullopt;
  int value = 0;
  for (const char c : *digits) value = value * 10 + (c - '0');
  int minutes = digits->size() > 2 ? value / 100 * 60 + value % 100 : value * 60;
  if (digits->size() <= 2 && in.take(':')) {
    const std::optional<int> more = in.number(2, 2);
    if (!more || *more > 59) return std::nullopt;
    minutes += *more;
  }
  constexpr int kMinutesMax = 24 * 60;
  if (minutes > kMinutesMax) return std::nullopt;
  return (is_west ? -minutes : minutes) * 60 * kNanosPerSecond;
}

}  // namespace

std::optional<Instant> parse_instant(std::string_view text) {
  Scanner in(text);
  Instant out;
  const std::optional<std::int64_t> days = take_date(in);
  if (!days) return std::nullopt;
  out.days = *days;
  if (in.is_done()) return out;
  if (!in.take('T') && !in.take('t') && !in.take(' ')) return std::nullopt;
  if (!take_clock(in, out)) return std::nullopt;
  const std::optional<std::int64_t> east = take_offset(in);
  if (!east || !in.is_done()) return std::nullopt;
  out.nanos -= *east;
  while (out.nanos < 0) {
    out.nanos += kNanosPerDay;
    --out.days;
  }
  while (out.nanos >= kNanosPerDay) {
    out.nanos -= kNanosPerDay;
    ++out.days;
  }
  return out;
}

std::optional<Instant> parse_time_of_day(std::string_view text) {
  Scanner in(text);
  Instant out;
  if (!take_clock(in, out) || !in.is_done()) return std::nullopt;
  return out;
}

std::string date_text(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int year = static_cast<int>(date.year());
  const std::string rest =
      fmt::format("{:02}-{:02}", static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  if (year > 0) return fmt::format("{:04}-{}", year, rest);
  return fmt::format("{:04}-{} (BC)", 1 - year, rest);
}

std::string clock_text(std::int64_t nanos, unsigned digits) {
  const std::int64_t seconds = nanos / kNanosPerSecond;
  std::string out = fmt::format("{:02}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60, seconds % 60);
  if (digits == 0) return out;
  std::string fraction = fmt::format("{:09}", nanos % kNanosPerSecond);
  fraction.resize(digits);
  return out + "." + fraction;
}

}  // namespace sluice::plan
