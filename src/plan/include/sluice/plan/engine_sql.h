#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"
#include "sluice/plan/plan.h"

namespace sluice::plan {

// The name of the column of `numbered` that holds the position of a row in its table: one that no column has.
std::string row_column(const Columns& columns);

// The plan in the SQL of the engine, without its outermost Limit: one SELECT over the relations `data` (the
// rows of the scan) and `numbered` (the same rows with their positions). Every value is a parameter.
engine::Statement engine_sql(const Node& node);

// A condition over columns of these names; its values are added to `parameters`.
std::string engine_condition(const Condition& condition, const Columns& columns,
                             std::vector<engine::Parameter>& parameters);

}  // namespace sluice::plan
