#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/json/value.h"
#include "sluice/json/writer.h"
#include "sluice/plan/guarded_plan.h"
#include "sluice/records/view.h"

namespace sluice::records_provider {

inline constexpr std::uint64_t kEnvelopeBytes = 1'500;  // What stands beside the rows of an answer.
inline constexpr std::uint64_t kUsualLimit = 1'000;     // Rows of an answer, where the call names no limit.

// Rows to be read of a view. Both plans are over scan_of(view).
struct RowsQuery {
  const records::View& view;
  plan::NodePtr matching;  // The rows that are asked for, in any order.
  plan::NodePtr rows;      // The same in their order, with the columns of the answer.
  plan::Guard guard;       // The rules of the caller.
};

// Which of the rows are wanted, and how many an answer may have.
struct PageRequest {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
  bool limit_is_explicit = false;  // Then the caller has said how much it can take, and tokens do not count.
  std::optional<std::uint64_t> known_total;  // Of the view without a filter, where it is known.
};

struct Page {
  std::string rows;  // A JSON array of objects.
  std::uint64_t size = 0;
  std::uint64_t total = 0;  // Rows that meet the condition, on this page or not.
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
  std::uint64_t cells_cut = 0;  // Texts that were cut, as a row alone is larger than an answer.
  json::Object schema;          // Columns with numbers that stand as text here, and their types.

  bool has_more() const { return offset + size < total; }
};

// `limit` and `offset` of a call.
Result<PageRequest> page_request(const json::Object& arguments, std::uint64_t usual_limit);

// How many rows a plan over scan_of(view) has.
Result<std::uint64_t> count_rows(const records::View& view, const plan::NodePtr& rows,
                                 const plan::Guard& guard, const engine::RunLimits& limits);

// Rows until the limit or the budget is reached; at least one where there is one.
Result<Page> read_page(const RowsQuery& query, const PageRequest& request, const Budget& budget,
                       const engine::RunLimits& limits);

std::string cut_cells_warning(std::uint64_t cells_cut);

// has_more, next_offset, and what else a reader of the rows must know.
void write_page_notes(json::Writer& out, const Page& page);

}  // namespace sluice::records_provider
