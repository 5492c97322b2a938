#pragma once

#include <string>
#include <vector>

#include "sluice/engine/sql.h"
#include "sluice/plan/plan.h"

namespace sluice::plan {

// The computed columns of a Compute in the SQL of the engine, as items of a SELECT over its input. Values are
// added to `parameters`.
std::vector<std::string> engine_scalars(const Node& compute, std::vector<engine::Parameter>& parameters);

}  // namespace sluice::plan
