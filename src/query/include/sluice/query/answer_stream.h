#pragma once

#include <memory>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/answer.h"

namespace sluice::query {

// All rows of the answer as they are computed, whatever the budget of the request. What `table` and `limits`
// point to must outlive them, as must the engine.
Result<std::unique_ptr<engine::Rows>> stream_answer(engine::Engine& engine, const AnswerRequest& request);

}  // namespace sluice::query
