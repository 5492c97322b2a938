#pragma once

#include <string>
#include <vector>

#include "sluice/plot/chart.h"

namespace sluice::plot {

// A place on an axis that has a label.
struct Tick {
  double at = 0;
  std::string label;

  friend bool operator==(const Tick&, const Tick&) = default;
};

// The distance between ticks of a linear axis: 1, 2 or 5 times a power of ten, so that 4 to 8 steps cover
// the range (fewer if `is_whole` and the range has no more numbers). `range.low` < `range.high`, both finite.
double nice_step(const Range& range, bool is_whole);

// The range extended to multiples of nice_step(). A range without width gets one.
Range nice_range(Range range, bool is_whole);

// The multiples of nice_step() within the range, labelled.
std::vector<Tick> linear_ticks(const Range& range, bool is_whole);

// Powers of ten within the range, every second, third, … of them where there are many, and 2 and 5 times
// these where there are few. `range.low` > 0.
std::vector<Tick> log_ticks(const Range& range);

// Years, quarters, months, days, hours, minutes or seconds in UTC, whichever gives at most `ticks_max` ticks.
// The range is in microseconds since 1970.
std::vector<Tick> time_ticks(const Range& range, std::size_t ticks_max);

}  // namespace sluice::plot
