#include "handle_pages.h"

#include <fmt/format.h>

#include "formats.h"
#include "result_json.h"

namespace sluice::datasets {

namespace {

// Binary pages are measured as JSON, and so have the same places.
query::Format measured_as(query::Format format) { return is_binary(format) ? query::Format::kJson : format; }

// How many rows the page has that begins at `offset`.
Result<std::uint64_t> page_size(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                                std::uint64_t offset, query::Format format, const engine::RunLimits& limits) {
  if (offset >= snapshot.rows) return std::uint64_t{0};
  const Result<query::Page> page =
      query::read_page(engine, snapshot, page_request(desk, offset, format), limits);
  // A row that is too large for any page is a page of its own. It cannot be read, but those behind it can.
  if (!page.ok() && page.error().code == "oversize_result") return std::uint64_t{1};
  if (!page.ok()) return page.error();
  return page->size;
}

template <typename IsWanted>
Result<PagePlace> search(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                         PagePlace place, query::Format format, const engine::RunLimits& limits,
                         IsWanted is_wanted) {
  query::PageStarts& starts = snapshot.pages_of(format);
  place.offset = starts.start(place.page).value_or(0);
  while (true) {
    SLUICE_TRY(place.size, page_size(desk, engine, snapshot, place.offset, format, limits));
    const std::uint64_t next = place.offset + place.size;
    const bool is_last = next >= snapshot.rows;
    if (!is_last) starts.add(place.page + 1, next);
    if (is_wanted(place)) return place;
    if (is_last) {
      return not_found(fmt::format("the handle has {} pages in this format, counted from 0", place.page + 1))
          .with_code("unknown_page")
          .with_hint("Read a page of a smaller number.");
    }
    ++place.page;
    place.offset = next;
  }
}

}  // namespace

query::PageRequest page_request(const Desk& desk, std::uint64_t offset, query::Format format) {
  return {.offset = offset,
          .budget = within_envelope(desk.services().limits.usual),
          .format = measured_as(format)};
}

Result<PagePlace> find_page(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                            std::uint64_t page, query::Format format, const engine::RunLimits& limits) {
  format = measured_as(format);
  const std::uint64_t from = std::min<std::uint64_t>(page, snapshot.pages_of(format).known() - 1);
  return search(desk, engine, snapshot, {.page = from}, format, limits,
                [&](const PagePlace& place) { return place.page == page; });
}

Result<PagePlace> page_of_row(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                              std::uint64_t row, query::Format format, const engine::RunLimits& limits) {
  format = measured_as(format);
  const query::PageStarts& starts = snapshot.pages_of(format);
  std::uint64_t from = starts.known() - 1;
  while (from > 0 && starts.start(from).value_or(0) > row) --from;
  return search(desk, engine, snapshot, {.page = from}, format, limits,
                [&](const PagePlace& place) { return row < place.offset + place.size; });
}

}  // namespace sluice::datasets
