#pragma once

#include <libpq-fe.h>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"

namespace sluice::engine::postgres {

// Of what EXPLAIN (FORMAT JSON) answers: rows and width of the outermost step.
Result<PlanGuess> guess_of(const PGresult* answer);

}  // namespace sluice::engine::postgres
