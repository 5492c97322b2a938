#pragma once

#include <cstdint>

#include "desk.h"

namespace sluice::datasets {

// A page of a handle as its URI counts them: as many rows as fit the usual budget as JSON records, whatever
// the format it is read in.
struct PagePlace {
  std::uint64_t page = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The page of that number, or the one that holds that row. Pages before it that nobody has read are measured
// on the way. kNotFound behind the last.
Result<PagePlace> find_page(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                            std::uint64_t page, const engine::RunLimits& limits);
Result<PagePlace> page_of_row(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                              std::uint64_t row, const engine::RunLimits& limits);

}  // namespace sluice::datasets
