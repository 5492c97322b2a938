#pragma once

#include <cstdint>

#include "desk.h"

namespace sluice::datasets {

// A page of a handle as its URI counts them: as many rows as fit the usual budget in the format in which it
// is read. Parquet and Arrow pages have the rows that fit as JSON.
struct PagePlace {
  std::uint64_t page = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The request that reads the page which begins at `offset` in that format.
query::PageRequest page_request(const Desk& desk, std::uint64_t offset, query::Format format);

// The page of that number, or the one that holds that row. Pages before it that nobody has read are measured
// on the way. kNotFound behind the last.
Result<PagePlace> find_page(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                            std::uint64_t page, query::Format format, const engine::RunLimits& limits);
Result<PagePlace> page_of_row(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                              std::uint64_t row, query::Format format, const engine::RunLimits& limits);

}  // namespace sluice::datasets
