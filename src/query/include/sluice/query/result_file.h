#pragma once

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/format.h"
#include "sluice/query/spool.h"

namespace sluice::query {

// All rows of a snapshot as one file: CSV, Parquet or Arrow IPC. It is made once, counts as part of the
// spool, and is removed with the snapshot; whoever holds it can read on. kInvalidInput for JSON. Any thread.
Result<FilePtr> result_file(engine::Engine& engine, Spool& spool, const Snapshot& snapshot, Format format,
                            const engine::RunLimits& limits);

}  // namespace sluice::query
