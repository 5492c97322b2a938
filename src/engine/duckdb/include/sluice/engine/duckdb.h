#pragma once

#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

// The embedded engine. Fails where the sandbox cannot be locked or does not read back as locked.
// Close it before main returns: DuckDB's own globals die before a static of ours.
// `attached_file` is a file of DuckDB that is attached as the database `file`, read only; empty: none. Fails
// with `source_busy` while another program writes to it.
Result<std::unique_ptr<Engine>> open_duckdb(const EngineOptions& options,
                                            const std::string& attached_file = {});

}  // namespace sluice::engine
