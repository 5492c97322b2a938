#pragma once

#include <cstdint>
#include <optional>

#include "dataset_tools.h"

namespace sluice::datasets {

// A page of a handle as its URI counts them: as many rows as fit the usual budget in the format in which it
// is read. Parquet and Arrow pages have the rows that fit as JSON.
struct PagePlace {
  std::uint64_t page = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// The request that reads the page which begins at `offset` in that format.
query::PageRequest page_request(const DatasetTools& tools, std::uint64_t offset, query::Format format);

// How many rows a page has that is read by this request. A row that is too large for any page is a page of
// its own.
Result<std::uint64_t> rows_of_page(engine::Engine& engine, const query::Snapshot& snapshot,
                                   const query::PageRequest& request, const engine::RunLimits& limits);

// The page of that number. Pages before it that nobody has read are measured on the way. kNotFound behind the
// last.
Result<PagePlace> find_page(const DatasetTools& tools, engine::Engine& engine,
                            const query::Snapshot& snapshot, std::uint64_t page, query::Format format,
                            const engine::RunLimits& limits);

struct RowRange {
  std::uint64_t offset = 0;
  std::uint64_t count = 0;
};
// The number of the page that has just these rows. Nothing if there is none, or if it lies behind pages that
// nobody has read.
Result<std::optional<std::uint64_t>> page_of_rows(const DatasetTools& tools, engine::Engine& engine,
                                                  const query::Snapshot& snapshot, const RowRange& rows,
                                                  query::Format format, const engine::RunLimits& limits);

}  // namespace sluice::datasets
