#pragma once

#include <memory>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"

#include "postgres/reaper.h"
#include "type_memory.h"

namespace sluice::engine::postgres {

// Starts the query, and waits until its first row, its end or its failure. The lease ends with the rows.
// `reaper` and `memory` must outlive them.
Result<std::unique_ptr<Rows>> start_rows(Lease lease, Reaper& reaper, TypeMemory& memory,
                                         const Select& select, const RunLimits& limits);

}  // namespace sluice::engine::postgres
