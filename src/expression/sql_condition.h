#pragma once

#include <optional>

#include "sluice/json/value.h"
#include "sluice/plan/condition.h"

#include "sql_columns.h"

namespace sluice::expression {

// The condition of a WHERE or HAVING clause, or of ON, if it keeps exactly the rows that the engine would
// keep.
std::optional<plan::Condition> bind_condition(const json::Value& expression, const SqlColumns& columns);

}  // namespace sluice::expression
