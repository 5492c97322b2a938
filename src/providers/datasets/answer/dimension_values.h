#pragma once

#include <string>

#include "sluice/query/registry.h"

namespace sluice::datasets {

// The values that a dimension has in the datasets there are, for the description of an argument: "2019 to
// 2024", "BUDGET_LAW, MTEP". Empty if there are none, or too many to list.
std::string dimension_values(const query::Inventory& inventory, const query::Dimension& dimension);

}  // namespace sluice::datasets
