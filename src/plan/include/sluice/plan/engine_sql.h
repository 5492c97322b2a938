#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"
#include "sluice/plan/guarded_plan.h"

namespace sluice::plan {

// The name of the column of `numbered` that holds the position of a row in its table: one that no column has.
std::string row_column(const Columns& columns);

// The plan in the SQL of the engine, without its outermost Limit: one SELECT over the relations `data` (the
// rows of the scan) and `numbered` (the same rows with their positions). Every value is a parameter; those of
// the relations, if they have any, come first.
engine::Statement engine_sql(const PhysicalPlan& plan, std::vector<engine::Parameter> of_relations = {});

// " LIMIT 10 OFFSET 20". The engine counts in 64 bits with a sign; nothing has more rows.
std::string limit_sql(std::optional<std::uint64_t> rows, std::uint64_t offset);

// A condition over columns of these names; its values are added to `parameters`.
std::string engine_condition(const Condition& condition, const Columns& columns,
                             std::vector<engine::Parameter>& parameters);

}  // namespace sluice::plan
