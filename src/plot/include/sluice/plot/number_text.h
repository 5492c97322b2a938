#pragma once

#include <string>

namespace sluice::plot {

// A number as an axis shows it: 1.2 k, 3.4 M, 5.6 B, 0.25, 1e-7. `step` says how many digits are needed to
// tell it from its neighbours; 0: three significant ones.
std::string axis_number(double value, double step);

// The shortest text that reads back as the same number, without an exponent where that takes at most 17
// digits.
std::string exact_number(double value);

// At most 15 significant digits: 0.3 instead of 0.30000000000000004.
std::string brief_number(double value);

// Microseconds since 1970 as 2024-03-01 or 2024-03-01 14:05:09.25, in UTC; a year before 0 or after 9999 has
// a sign, as in ISO 8601.
std::string time_text(double microseconds, bool is_date);

}  // namespace sluice::plot
