#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/base/principal.h"
#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"
#include "sluice/query/estimate.h"
#include "sluice/query/format.h"
#include "sluice/query/spool.h"
#include "sluice/render/rows.h"

namespace sluice::query {

// What an answer at once ran into.
struct Excess {
  std::optional<render::Cap> cap;
  double row_bytes = 0;  // Of a row as JSON, measured; 0 where nothing was.
};

// How much may be written to the spool before the caller is asked.
struct SpoolBound {
  std::uint64_t rows = UINT64_MAX;
  std::uint64_t bytes = UINT64_MAX;  // Of the snapshot's file.
};

// What is asked of which data, and how much of it may come back.
struct AnswerRequest {
  DatasetPtr dataset;
  const Table* table = nullptr;  // Must outlive the answering.
  expression::Question question;
  Format format = Format::kJson;
  render::Shape shape = render::Shape::kRecords;
  render::Digits digits = render::Digits::kExact;  // Of rows in the answer itself; files are always exact.
  Budget budget;
  Principal principal;
  engine::RunLimits limits;
  std::optional<Estimate> estimate;  // Where it is known that the answer does not fit, it is not tried.
  std::optional<Excess> excess;      // Where it was tried already.
  bool is_kept = false;  // A snapshot is made even if the answer fits; then the preview is all of it.
  // For a question whose size nobody has confirmed: an estimate may be wrong by any factor.
  SpoolBound unconfirmed;
};

// Rows that fit, or a snapshot of all of them with a preview.
struct Answer {
  std::vector<engine::Field> columns;
  std::string rows;                // A JSON array, or CSV: all rows of the answer, or the preview.
  std::uint64_t row_count = 0;     // Of the whole answer.
  std::uint64_t rows_shown = 0;    // In `rows`.
  bool is_limited = false;         // The caller's own limit left rows out. Not known of a snapshot.
  double row_bytes = 0;            // Of a row as JSON, measured; 0 where nothing was.
  std::optional<render::Cap> cap;  // What made it a snapshot.
  SnapshotPtr snapshot;            // Null: the rows are all there is.
  bool is_over_bound = false;      // It would pass `unconfirmed`: there are no rows and no snapshot.
  std::vector<std::string> warnings;
};

inline constexpr std::uint64_t kPreviewRows = 10;
inline constexpr std::size_t kPreviewCellBytes = 200;

// Answers within the budget: rows if they fit, a snapshot in the spool if not (or where a file is asked for).
Result<Answer> answer(engine::Engine& engine, Spool& spool, const AnswerRequest& request);

// The answer where the data's own database computes it and all of it fits. Costs no estimate: the caps hold
// while the rows arrive, and what goes beyond is broken off.
struct Attempt {
  std::optional<Answer> answer;
  std::optional<Excess> excess;  // None: the database does not compute it.
};
Result<Attempt> answer_at_source(engine::Engine& engine, Spool& spool, const AnswerRequest& request);
// The same wherever it is computed: the answer if all of it fits, else what it ran into.
Result<Attempt> answer_directly(engine::Engine& engine, Spool& spool, const AnswerRequest& request);

// Rows of a snapshot from `offset` on, as many as the budget takes.
struct Page {
  std::string rows;  // JSON array, or CSV.
  std::uint64_t size = 0;
  std::optional<render::Cap> cap;
  bool has_escaped_breaks = false;  // See render::CsvOptions::is_for_reading.
  bool cells_cut = false;           // One row was larger than the budget: its long cells end in "…",
  std::size_t columns = 0;          // and it has only its first columns, where this is not 0.
};
struct PageRequest {
  std::uint64_t offset = 0;
  Budget budget;
  Format format = Format::kJson;
  render::Shape shape = render::Shape::kRecords;
  std::size_t cell_bytes_max = 0;
  bool is_in_json = false;      // CSV that will be a JSON string, which takes more bytes.
  bool is_for_reading = false;  // See render::CsvOptions.
  render::Digits digits = render::Digits::kExact;
  // A page has at least one row, whatever its size, or paging would not get past it. A preview may have none.
  bool has_a_row = true;
};
Result<Page> read_page(engine::Engine& engine, const Snapshot& snapshot, const PageRequest& request,
                       const engine::RunLimits& limits);

// The same rows as an Arrow IPC file, at most `bytes_max` bytes.
Result<std::string> page_as_arrow(engine::Engine& engine, const Snapshot& snapshot, std::uint64_t offset,
                                  std::uint64_t count, std::uint64_t bytes_max,
                                  const engine::RunLimits& limits);

}  // namespace sluice::query
