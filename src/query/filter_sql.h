#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"
#include "sluice/query/knobs.h"

namespace sluice::query {

// The condition that a filter means. Its values are added to `parameters`.
Result<std::string> filter_sql(const Filter& filter, const engine::Field& column,
                               std::vector<engine::Parameter>& parameters);

}  // namespace sluice::query
