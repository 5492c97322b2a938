#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/answer.h"

namespace sluice::query {

// The data of the request, checked to be within the memory of the engine.
Result<Relation> open_relation(const engine::Engine& engine, const AnswerRequest& request);

// The rows of the answer as they are computed, by the engine or by the source itself. `relation` must outlive
// them. `limit` takes the place of the question's own for the engine; a source gives one row more than that.
Result<std::unique_ptr<engine::Rows>> open_rows(engine::Engine& engine, const AnswerRequest& request,
                                                const Relation& relation, std::optional<std::uint64_t> limit);

}  // namespace sluice::query
