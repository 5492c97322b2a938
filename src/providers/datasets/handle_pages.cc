#include "handle_pages.h"

#include <fmt/format.h>

#include "result_json.h"

namespace sluice::datasets {

namespace {

// Where the page that begins at `offset` ends.
Result<std::uint64_t> page_size(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                                std::uint64_t offset, const engine::RunLimits& limits) {
  const query::PageRequest request{.offset = offset, .budget = within_envelope(desk.services().limits.usual)};
  SLUICE_TRY(const query::Page page, query::read_page(engine, snapshot, request, limits));
  return page.size;
}

template <typename IsWanted>
Result<PagePlace> search(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                         std::uint64_t page, const engine::RunLimits& limits, IsWanted is_wanted) {
  std::uint64_t offset = snapshot.pages->start(page).value_or(0);
  while (true) {
    SLUICE_TRY(const std::uint64_t size, page_size(desk, engine, snapshot, offset, limits));
    const PagePlace place{.page = page, .offset = offset, .size = size};
    const bool is_last = offset + size >= snapshot.rows;
    if (!is_last) snapshot.pages->add(page + 1, offset + size);
    if (is_wanted(place)) return place;
    if (is_last) {
      return not_found(fmt::format("the handle has {} pages, counted from 0", page + 1))
          .with_code("unknown_page")
          .with_hint("Read a page of a smaller number.");
    }
    ++page;
    offset += size;
  }
}

}  // namespace

Result<PagePlace> find_page(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                            std::uint64_t page, const engine::RunLimits& limits) {
  const std::uint64_t from = std::min<std::uint64_t>(page, snapshot.pages->known() - 1);
  return search(desk, engine, snapshot, from, limits,
                [&](const PagePlace& place) { return place.page == page; });
}

Result<PagePlace> page_of_row(const Desk& desk, engine::Engine& engine, const query::Snapshot& snapshot,
                              std::uint64_t row, const engine::RunLimits& limits) {
  std::uint64_t from = snapshot.pages->known() - 1;
  while (from > 0 && snapshot.pages->start(from).value_or(0) > row) --from;
  return search(desk, engine, snapshot, from, limits,
                [&](const PagePlace& place) { return row < place.offset + place.size; });
}

}  // namespace sluice::datasets
