#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/plan/fragment.h"

namespace sluice::plan {

// A condition on the groups of `aggregate` over a subquery of the database that yields them under the names
// of `outputs`. Nullopt if the database evaluates it differently, or if it depends on a median or on a value
// that the database computes only nearly as the engine does: a sum or an average of doubles.
std::optional<std::string> group_condition(const Condition& condition, const Aggregate& aggregate,
                                           const Target& target, const Columns& outputs,
                                           std::vector<engine::Parameter>& parameters);

}  // namespace sluice::plan
