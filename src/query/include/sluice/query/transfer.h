#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/expression/question.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// What a database has to send of one of its tables.
struct Transfer {
  std::string dataset;
  std::optional<std::uint64_t> rows;  // Nullopt: they are not counted.
  std::uint64_t bytes = 0;
};

// What databases have to send to answer a question, as far as they know the number of their rows: rows times
// the width of the columns that the question may read. Empty if that is at most `enough` bytes, or if a
// database computes the answer itself. Tables of unknown size, and filters that a database applies without
// guessing what they leave, count nothing.
Result<std::vector<Transfer>> estimate_transfer(const expression::Question& question, const Dataset& dataset,
                                                const Table& table, std::uint64_t enough,
                                                const engine::RunLimits& limits);

}  // namespace sluice::query
