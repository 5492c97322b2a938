#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sluice/plan/fragment.h"

namespace sluice::plan {

// The columns of a Compute as those of one table: those of its input, then the computed ones. Computed
// columns have no name in the database: what is selected of them is an expression over the columns of the
// input.
struct ComputedColumns {
  engine::TableLayout layout;
  std::vector<std::string> aliases;  // For each column; empty without a join.
};

// Nullopt if the database computes one of the columns at `used` differently than the engine does. Other
// computed columns are left empty. `target` is the input of `compute`; values are added to `parameters`.
std::optional<ComputedColumns> computed_columns(const Node& compute, const std::set<std::size_t>& used,
                                                const Target& target,
                                                std::vector<engine::Parameter>& parameters);

}  // namespace sluice::plan
