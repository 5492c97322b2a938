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
#include "sluice/records/filter.h"

namespace sluice::records_provider {

inline constexpr std::uint64_t kEnvelopeBytes = 1'500;  // What stands beside the rows of an answer.
inline constexpr std::uint64_t kUsualLimit = 1'000;     // Rows of an answer, where the call names no limit.

// Rows to be read: SELECT select FROM relation WHERE condition ORDER BY order.
struct RowsQuery {
  std::string select = "*";
  std::string relation;
  records::Condition condition;
  std::string order;  // Empty: as they come.
};

// Which of the rows are wanted, and how many an answer may have.
struct PageRequest {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;
  bool limit_is_explicit = false;  // Then the caller has said how much it can take, and tokens do not count.
  std::optional<std::uint64_t> known_total;  // Of the relation without its condition, where it is known.
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

// How many rows a query has.
Result<std::uint64_t> count_rows(engine::Engine& engine, const RowsQuery& query,
                                 const engine::RunLimits& limits);

// Rows until the limit or the budget is reached; at least one where there is one.
Result<Page> read_page(engine::Engine& engine, const RowsQuery& query, const PageRequest& request,
                       const Budget& budget, const engine::RunLimits& limits);

std::string cut_cells_warning(std::uint64_t cells_cut);

// has_more, next_offset, and what else a reader of the rows must know.
void write_page_notes(json::Writer& out, const Page& page);

// The SELECT list of named columns, each once; `columns` empty: all.
Result<std::string> select_list(const std::vector<engine::Field>& columns,
                                const std::vector<std::string>& names);

}  // namespace sluice::records_provider
