#pragma once

#include <vector>

#include "sluice/plan/fragment.h"
#include "sluice/plan/overload.h"

namespace sluice::plan::testing {

// What the plan computes, in a database that has the table of the target. What the table of overloads does
// not list is left out.
std::vector<const Overload*> overloads_of(const Node& plan, const Target& target);

// is_null(text), for failures and counts.
std::string name_of(const Overload& overload);

bool is_condition(Function function);
bool is_aggregate(Function function);
bool is_scalar(Function function);

}  // namespace sluice::plan::testing
