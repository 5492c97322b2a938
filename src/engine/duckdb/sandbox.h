#pragma once

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

#include "handles.h"

namespace sluice::engine::duck {

// Opens a database in memory with the limits of `options`. It is not locked yet.
Result<Database> open_database(const EngineOptions& options);

// Statements on this connection measure their progress, for duckdb_query_progress. Before the lock only.
Status measure_progress(duckdb_connection connection);

// Attaches a file as the database `file`, read only. Before the lock only.
Status attach_file(duckdb_connection connection, const std::string& path);

// Locks it: only the folders of `options` can be read, nothing can be set, loaded or reached. Then reads
// every setting back.
Status lock_sandbox(duckdb_connection connection, const EngineOptions& options);

}  // namespace sluice::engine::duck
