#pragma once

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/records/operation.h"
#include "sluice/records/view.h"

namespace sluice::records {

// An operation from the log of another program, with its values as this store would have written them: typed
// by the columns of the view, nulls left out. code `not_reversible` where they cannot be read or do not fit.
Result<Operation> as_ours(const View& view, Operation foreign, const engine::RunLimits& limits);

}  // namespace sluice::records
