#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"

#include "tables/column_types.h"
#include "tables/layout.h"

namespace sluice::engine::postgres {

// Looks at some rows for the digits that numerics without bounds have, and settles their types: a decimal
// where all of them fit one, else text. Where that takes long, as of a view, they are text.
Status sample_numerics(const Ask& ask, const TableLayout& layout, std::vector<ColumnType>& types,
                       const RunLimits& limits);

}  // namespace sluice::engine::postgres
