#pragma once

#include <vector>

#include "sluice/expression/question.h"
#include "sluice/json/value.h"

namespace sluice::expression {

// The sums, averages and medians over columns of `data` in a tree of json_serialize_sql that was checked
// before. Only a SELECT directly over `data` counts: what a subquery grouped or made distinct is no longer a
// row of the data.
std::vector<Aggregate> totals_of(const json::Value& tree);

}  // namespace sluice::expression
