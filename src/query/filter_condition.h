#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/plan/condition.h"
#include "sluice/query/query_arguments.h"

namespace sluice::query {

// The condition of a filter over the column at `position`. It compares the value exactly as it was given,
// whatever the column's type can hold. Adds to `warnings` what the caller should know about the comparison.
Result<plan::Condition> filter_condition(const Filter& filter, const plan::Columns& columns,
                                         std::size_t position, std::vector<std::string>& warnings);

}  // namespace sluice::query
