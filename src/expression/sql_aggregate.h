#pragma once

#include <cstdint>
#include <optional>

#include "sluice/json/value.h"
#include "sluice/plan/plan.h"

#include "sql_scalar.h"

namespace sluice::expression {

// A whole number that stands in a statement as it is: a position, a limit or an offset.
std::optional<std::uint64_t> whole_number(const json::Value* expression);

// The call of an aggregate of a column, or of one that is computed for it, without a name. Nullopt for other
// expressions and for aggregates that a plan would compute in another way than the engine computes this one.
std::optional<plan::AggregateCall> aggregate_of(const json::Value& value, const SqlScalars& names);

// Whether the engine computes the median of such a column in double precision. Of wider numbers, plans
// compute it exactly.
bool has_double_median(engine::TypeId id);

}  // namespace sluice::expression
