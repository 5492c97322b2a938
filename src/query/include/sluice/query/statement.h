#pragma once

#include <cstdint>
#include <optional>

#include "sluice/engine/sql.h"
#include "sluice/expression/question.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// The question over one relation, with its limit and offset. `limit` overrides the question's own.
engine::Statement statement_of(const expression::Question& question, const Table& table,
                               const Relation& relation, std::optional<std::uint64_t> limit);
// `outer` around the question, which it calls `answer`: SELECT count(*) FROM answer.
engine::Statement statement_around(std::string_view outer, const expression::Question& question,
                                   const Table& table, const Relation& relation);

}  // namespace sluice::query
