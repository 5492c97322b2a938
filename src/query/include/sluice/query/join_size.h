#pragma once

#include <cstdint>
#include <optional>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// How many rows the joins of a question make, all of them together. Groups and conditions that compare no
// values for equality may leave fewer for the answer; the work is that of the joins.
struct JoinSize {
  double pairs = 0;
  bool is_counted = false;  // By keys. If not, by what is known of the tables, or of some of the joins only.
};

// Nullopt: the question joins nothing, or nothing is known of the size and it could not be counted in time.
// What is known of the tables suffices if it says that there are at most `enough`. A deadline within `limits`
// is that of the count, not an error.
Result<std::optional<JoinSize>> join_size(engine::Engine& engine, const expression::Question& question,
                                          const Dataset& dataset, const Table& table, double enough,
                                          const engine::RunLimits& limits);

// How many rows the answer has, without offset and limit of the question, if it has the rows of one join and
// those can be counted by keys. Nullopt: it has not, or they could not be counted in time.
std::optional<std::uint64_t> count_joined_rows(engine::Engine& engine, const expression::Question& question,
                                               const Dataset& dataset, const Table& table,
                                               const Relation& relation, const engine::RunLimits& limits);

}  // namespace sluice::query
