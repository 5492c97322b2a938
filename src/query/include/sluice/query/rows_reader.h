#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::query {

// All rows of a small result, as text; null is empty.
using TextRow = std::vector<std::string>;
Result<std::vector<TextRow>> read_rows(engine::Engine& engine, const engine::Statement& statement,
                                       const engine::RunLimits& limits, std::size_t rows_max = 10'000);

// The one integer that a statement gives, e.g. a count.
Result<std::uint64_t> read_count(engine::Engine& engine, const engine::Statement& statement,
                                 const engine::RunLimits& limits);

}  // namespace sluice::query
