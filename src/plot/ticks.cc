#include "sluice/plot/ticks.h"

#include <algorithm>
#include <cmath>

#include "sluice/plot/number_text.h"

namespace sluice::plot {

namespace {

constexpr std::size_t kTicksBound = 64;  // Never reached; a bound for loops over floating point.
constexpr double kSlack = 1e-9;          // Of a step: multiples of it are not exact.

constexpr double kStepsMax = 8;

}  // namespace

double nice_step(const Range& range, bool is_whole) {
  const double raw = (range.high - range.low) / kStepsMax;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * (1 - kSlack)) {
      step = factor * power;
      break;
    }
  }
  return is_whole ? std::max(1.0, step) : step;
}

Range nice_range(Range range, bool is_whole) {
  if (!(range.high > range.low)) {
    const double margin = is_whole ? 1 : std::max(std::abs(range.low) * 0.1, 1e-300);
    const double half = range.low == 0 ? 1 : margin;
    range = {range.low - half, range.high + half};
  }
  // The range grows by up to two steps, which may ask for a larger step.
  double step = nice_step(range, is_whole);
  constexpr int kRoundsMax = 4;
  Range out = range;
  for (int round = 0; round < kRoundsMax; ++round) {
    out = {std::floor(range.low / step + kSlack) * step, std::ceil(range.high / step - kSlack) * step};
    const double next = nice_step(out, is_whole);
    if (next <= step) break;
    step = next;
  }
  return out;
}

std::vector<Tick> linear_ticks(const Range& range, bool is_whole) {
  const double step = nice_step(range, is_whole);
  std::vector<Tick> out;
  const double first = std::ceil(range.low / step - kSlack);
  for (std::size_t i = 0; i < kTicksBound; ++i) {
    const double at = (first + static_cast<double>(i)) * step;
    if (at > range.high + step * kSlack) break;
    // Steps below one are not exact in binary; the label says what is meant.
    out.push_back({.at = at == 0 ? 0 : at, .label = axis_number(at, step)});
  }
  return out;
}

std::vector<Tick> log_ticks(const Range& range) {
  const int first = static_cast<int>(std::ceil(std::log10(range.low) - kSlack));
  const int last = static_cast<int>(std::floor(std::log10(range.high) + kSlack));
  std::vector<Tick> out;
  const auto add = [&](double at) {
    if (at >= range.low * (1 - kSlack) && at <= range.high * (1 + kSlack))
      out.push_back({.at = at, .label = axis_number(at, 0)});
  };
  constexpr int kDecadesAll = 9;    // Up to so many powers of ten, all are shown,
  constexpr int kDecadesSplit = 3;  // and up to so many, 2 and 5 times them as well.
  const int every = std::max(1, (last - first + kDecadesAll - 1) / kDecadesAll);
  for (int exponent = first - 1; exponent <= last; ++exponent) {
    const double power = std::pow(10.0, exponent);
    if ((exponent - first) % every == 0) add(power);
    if (last - first >= kDecadesSplit) continue;
    add(2 * power);
    add(5 * power);
  }
  return out;
}

}  // namespace sluice::plot
