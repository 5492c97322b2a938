#pragma once

#include <cmath>

namespace sluice::datasets::analysis {

// Scores have three digits: more would say what nobody knows.
inline double rounded(double score) { return std::round(score * 1000) / 1000; }

}  // namespace sluice::datasets::analysis
