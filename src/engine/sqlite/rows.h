#pragma once

#include <memory>

#include "sluice/base/result.h"
#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/database.h"
#include "sluice/engine/type_memory.h"

#include "session.h"

namespace sluice::engine::sqlite {

using Lease = BoundedPool<Session>::Lease;  // With a session in it.

// Starts the query; the lease ends with the rows. `memory` must outlive them.
Result<std::unique_ptr<Rows>> start_rows(Lease lease, TypeMemory& memory, const Select& select,
                                         const RunLimits& limits);

}  // namespace sluice::engine::sqlite
