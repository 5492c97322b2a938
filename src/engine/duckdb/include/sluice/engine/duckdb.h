#pragma once

#include <memory>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

// The embedded engine. Fails where the sandbox cannot be locked or does not read back as locked.
// Close it before main returns: DuckDB's own globals die before a static of ours.
Result<std::unique_ptr<Engine>> open_duckdb(const EngineOptions& options);

}  // namespace sluice::engine
