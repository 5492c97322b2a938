#pragma once

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// Fails with the code `memory_limit` if the medians and quantiles of a question would keep more values in
// memory than the engine has room for. A few of them are always allowed: a filter may leave few rows, and the
// engine ends the statement if it does not.
Status check_kept_values(const engine::Engine& engine, const expression::Question& question,
                         const Dataset& dataset, const Table& table);

}  // namespace sluice::query
