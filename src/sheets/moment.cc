#include "moment.h"

#include <charconv>
#include <chrono>
#include <cmath>

namespace sluice::sheets {

namespace {

constexpr std::int64_t kMicrosPerMilli = 1'000;
constexpr std::int64_t kMicrosPerSecond = 1'000'000;
constexpr std::int64_t kSecondsPerDay = 86'400;
constexpr std::int64_t kMicrosPerDay = kSecondsPerDay * kMicrosPerSecond;
constexpr double kMillisPerDay = 86'400'000;
constexpr double kDaysMax = 2'958'466;  // The first day after 9999, counted from 1900.
constexpr double kDurationDaysMax = 1e7;
constexpr std::int64_t kDurationPartMax = 1'000'000'000;
// 1970-01-01 in days of books. They count a 29 February 1900, which never was: days before it are one off.
constexpr std::int64_t kUnixEpoch1900 = 25'569;
constexpr std::int64_t kUnixEpoch1904 = 24'107;
constexpr double kPhantomDay = 60;

std::int64_t micros_of(double days) {
  return static_cast<std::int64_t>(std::llround(days * kMillisPerDay)) * kMicrosPerMilli;
}

// Reads the fields of a moment one after the other.
class MomentReader {
 public:
  explicit MomentReader(std::string_view text) : text_(text) {}

  bool skip(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  // So many digits, or as many as there are where that is 0.
  std::optional<std::int64_t> digits(std::size_t count) {
    std::size_t length = 0;
    while (length < text_.size() && (count == 0 || length < count) && text_[length] >= '0' &&
           text_[length] <= '9')
      ++length;
    std::int64_t out = 0;
    if (length == 0 || (count != 0 && length != count)) return std::nullopt;
    if (std::from_chars(text_.data(), text_.data() + length, out).ec != std::errc{}) return std::nullopt;
    text_.remove_prefix(length);
    return out;
  }
  // What stands behind a decimal point, in microseconds; 0 where there is none.
  std::int64_t fraction() {
    if (!skip('.') && !skip(',')) return 0;
    std::int64_t out = 0;
    std::int64_t unit = kMicrosPerSecond;
    while (!text_.empty() && text_.front() >= '0' && text_.front() <= '9') {
      unit /= 10;
      out += unit * (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return out;
  }
  bool is_at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

std::optional<std::int64_t> read_clock(MomentReader& reader) {
  const std::optional<std::int64_t> hours = reader.digits(2);
  if (!hours || !reader.skip(':')) return std::nullopt;
  const std::optional<std::int64_t> minutes = reader.digits(2);
  if (!minutes) return std::nullopt;
  std::int64_t seconds = 0;
  if (reader.skip(':')) {
    const std::optional<std::int64_t> read = reader.digits(2);
    if (!read) return std::nullopt;
    seconds = *read;
  }
  if (*hours > 23 || *minutes > 59 || seconds > 59) return std::nullopt;
  return ((*hours * 60 + *minutes) * 60 + seconds) * kMicrosPerSecond + reader.fraction();
}

std::optional<std::int64_t> read_day(MomentReader& reader) {
  const std::optional<std::int64_t> year = reader.digits(4);
  if (!year || !reader.skip('-')) return std::nullopt;
  const std::optional<std::int64_t> month = reader.digits(2);
  if (!month || !reader.skip('-')) return std::nullopt;
  const std::optional<std::int64_t> day = reader.digits(2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace

bool set_number(Cell& cell, double number, NumberUse use, Epoch epoch) {
  if (use == NumberUse::kNumber) {
    cell.kind = CellKind::kNumber;
    cell.number = number;
    return true;
  }
  if (use == NumberUse::kDuration) {
    if (std::abs(number) > kDurationDaysMax) return false;
    cell.kind = CellKind::kDuration;
    cell.micros = micros_of(number);
    return true;
  }
  if (number < 0 || number >= kDaysMax) return false;
  if (use == NumberUse::kTime && number < 1) {
    cell.kind = CellKind::kTime;
    cell.micros = micros_of(number) % kMicrosPerDay;
    return true;
  }
  std::int64_t first = epoch == Epoch::k1904 ? kUnixEpoch1904 : kUnixEpoch1900;
  if (epoch == Epoch::k1900 && number < kPhantomDay) --first;
  cell.micros = micros_of(number) - first * kMicrosPerDay;
  const bool is_day = use == NumberUse::kDate && cell.micros % kMicrosPerDay == 0;
  cell.kind = is_day ? CellKind::kDate : CellKind::kDateTime;
  return true;
}

bool set_iso_moment(Cell& cell, std::string_view text) {
  MomentReader reader(text);
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos && text.find('-') == std::string_view::npos) {
    const std::optional<std::int64_t> clock = read_clock(reader);
    cell.kind = CellKind::kTime;
    cell.micros = clock.value_or(0);
    return clock && reader.is_at_end();
  }
  const std::optional<std::int64_t> day = read_day(reader);
  if (!day) return false;
  cell.kind = CellKind::kDate;
  cell.micros = *day * kMicrosPerDay;
  if (reader.is_at_end()) return true;
  if (!reader.skip('T')) return false;
  const std::optional<std::int64_t> clock = read_clock(reader);
  if (!clock) return false;
  reader.skip('Z');
  cell.kind = CellKind::kDateTime;
  cell.micros += *clock;
  return reader.is_at_end();
}

bool set_iso_duration(Cell& cell, std::string_view text) {
  MomentReader reader(text);
  const bool is_negative = reader.skip('-');
  if (!reader.skip('P') || !reader.skip('T') || reader.is_at_end()) return false;
  std::int64_t micros = 0;
  while (!reader.is_at_end()) {
    const std::optional<std::int64_t> number = reader.digits(0);
    if (!number || *number > kDurationPartMax) return false;
    const std::int64_t fraction = reader.fraction();
    std::int64_t unit = 1;
    if (reader.skip('H')) {
      unit = 3'600;
    } else if (reader.skip('M')) {
      unit = 60;
    } else if (!reader.skip('S')) {
      return false;
    }
    micros += unit * (*number * kMicrosPerSecond + fraction);
    if (micros > static_cast<std::int64_t>(kDurationDaysMax) * kMicrosPerDay) return false;
  }
  const bool is_clock = !is_negative && micros < kMicrosPerDay;
  cell.kind = is_clock ? CellKind::kTime : CellKind::kDuration;
  cell.micros = is_negative ? -micros : micros;
  return true;
}

}  // namespace sluice::sheets
