#include "sluice/plot/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "calendar.h"

namespace sluice::plot {

namespace {

struct Magnitude {
  double factor;
  const char* letter;
};
constexpr std::array<Magnitude, 4> kMagnitudes = {{{1e12, "T"}, {1e9, "B"}, {1e6, "M"}, {1e3, "k"}}};
constexpr double kLargestWithLetter = 1e15;
constexpr double kSmallestPlain = 1e-4;

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// 1.50e-07 as 1.5e-7.
std::string short_exponent(const std::string& text) {
  const std::size_t e = text.find('e');
  std::size_t digits = e + 2;
  while (digits + 1 < text.size() && text[digits] == '0') ++digits;
  return without_trailing_zeros(text.substr(0, e)) + (text[e + 1] == '-' ? "e-" : "e") + text.substr(digits);
}

// Digits behind the point that a multiple of `step` has.
int decimals_of(double step) {
  if (!(step > 0)) return 0;
  const int exponent = static_cast<int>(std::floor(std::log10(step) + 1e-9));
  return std::clamp(-exponent, 0, 17);
}

}  // namespace

std::string axis_number(double value, double step) {
  const double size = std::max(std::abs(value), step);
  if (size == 0) return "0";
  if (std::abs(value) < step / 1e6) return "0";
  if (size >= kLargestWithLetter || size < kSmallestPlain) {
    const int digits = step > 0 ? std::clamp(static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9) -
                                                              std::floor(std::log10(step) + 1e-9)),
                                             0, 16)
                                : 2;
    return short_exponent(fmt::format("{:.{}e}", value, digits));
  }
  for (const Magnitude& magnitude : kMagnitudes) {
    if (std::abs(value) < magnitude.factor) continue;
    // Neighbours that differ only behind the fourth digit are written in full: 12,345 and 12,346.
    const int decimals = step > 0 ? decimals_of(step / magnitude.factor) : 2;
    if (decimals > 2) break;
    return without_trailing_zeros(fmt::format("{:.{}f}", value / magnitude.factor, decimals)) + "\u00a0" +
           magnitude.letter;
  }
  const int decimals = step > 0 ? decimals_of(step) : std::max(0, 2 - static_cast<int>(std::log10(size)));
  return without_trailing_zeros(fmt::format("{:.{}f}", value, decimals));
}

std::string exact_number(double value) {
  if (std::isnan(value)) return "";
  if (value == std::trunc(value) && std::abs(value) < 1e17)
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

std::string brief_number(double value) {
  if (value == std::trunc(value) && std::abs(value) < 1e17) return exact_number(value);
  return std::isnan(value) ? "" : fmt::format("{:.15g}", value);
}

std::string time_text(double microseconds, bool is_date) {
  const CalendarTime time = calendar_time(microseconds);
  const bool has_usual_year = time.year >= 0 && time.year <= 9999;
  std::string out = has_usual_year ? fmt::format("{:04}", time.year) : fmt::format("{:+07}", time.year);
  out += fmt::format("-{:02}-{:02}", time.month, time.day);
  if (is_date) return out;
  out += fmt::format(" {:02}:{:02}", time.second / 3600, time.second / 60 % 60);
  if (time.second % 60 != 0 || time.microsecond != 0) out += fmt::format(":{:02}", time.second % 60);
  if (time.microsecond != 0) out += without_trailing_zeros(fmt::format(".{:06}", time.microsecond));
  return out;
}

}  // namespace sluice::plot
