#pragma once

#include <vector>

#include "sluice/expression/question.h"

#include "polars_chain.h"

namespace sluice::expression {

// The sums, means and medians over columns of the data in a chain that was compiled before. Steps behind the
// first one that groups rows or makes them distinct no longer see rows of the data.
std::vector<Aggregate> totals_of(const std::vector<PolarsStep>& steps);

}  // namespace sluice::expression
