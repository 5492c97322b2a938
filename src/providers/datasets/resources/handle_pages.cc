#include "resources/handle_pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "answer/formats.h"
#include "answer/result_json.h"

namespace sluice::datasets {

namespace {

// Binary pages are measured as JSON, and so have the same places.
query::Format measured_as(query::Format format) { return is_binary(format) ? query::Format::kJson : format; }

}  // namespace

Result<std::uint64_t> rows_of_page(engine::Engine& engine, const query::Snapshot& snapshot,
                                   const query::PageRequest& request, const engine::RunLimits& limits) {
  if (request.offset >= snapshot.rows) return std::uint64_t{0};
  const Result<query::Page> page = query::read_page(engine, snapshot, request, limits);
  // Such a row cannot be read, but those behind it can.
  if (!page.ok() && page.error().code == "oversize_result") return std::uint64_t{1};
  if (!page.ok()) return page.error();
  return page->size;
}

query::PageRequest page_request(const DatasetTools& tools, std::uint64_t offset, query::Format format) {
  return {.offset = offset,
          .budget = within_envelope(tools.services().limits.usual),
          .format = measured_as(format)};
}

Result<PagePlace> find_page(const DatasetTools& tools, engine::Engine& engine,
                            const query::Snapshot& snapshot, std::uint64_t page, query::Format format,
                            const engine::RunLimits& limits) {
  format = measured_as(format);
  query::PageStarts& starts = snapshot.pages_of(format);
  PagePlace place{.page = std::min<std::uint64_t>(page, starts.known() - 1)};
  place.offset = starts.start(place.page).value_or(0);
  while (true) {
    SLUICE_TRY(place.size, rows_of_page(engine, snapshot, page_request(tools, place.offset, format), limits));
    const std::uint64_t next = place.offset + place.size;
    const bool is_last = next >= snapshot.rows;
    if (!is_last) starts.add(place.page + 1, next);
    if (place.page == page) return place;
    if (is_last) {
      return not_found(fmt::format("the handle has {} pages in this format, counted from 0", place.page + 1))
          .with_code("unknown_page")
          .with_hint("Read a page of a smaller number.");
    }
    ++place.page;
    place.offset = next;
  }
}

Result<std::optional<std::uint64_t>> page_of_rows(const DatasetTools& tools, engine::Engine& engine,
                                                  const query::Snapshot& snapshot, const RowRange& rows,
                                                  query::Format format, const engine::RunLimits& limits) {
  format = measured_as(format);
  query::PageStarts& starts = snapshot.pages_of(format);
  std::uint64_t page = starts.known();
  while (page > 0 && starts.start(page - 1).value_or(0) > rows.offset) --page;
  if (page == 0 || starts.start(page - 1) != rows.offset) return std::optional<std::uint64_t>();
  --page;
  SLUICE_TRY(const std::uint64_t size,
             rows_of_page(engine, snapshot, page_request(tools, rows.offset, format), limits));
  if (size != rows.count) return std::optional<std::uint64_t>();
  if (rows.offset + size < snapshot.rows) starts.add(page + 1, rows.offset + size);
  return std::optional(page);
}

}  // namespace sluice::datasets
