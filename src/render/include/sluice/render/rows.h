#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sluice/base/budget.h"
#include "sluice/engine/batch.h"
#include "sluice/render/cell.h"

namespace sluice::render {

// Which part of the budget ended an answer.
enum class Cap : std::uint8_t { kRows, kCells, kBytes, kTokens };
std::string_view to_string(Cap cap);  // "max_rows", "max_cells", "max_bytes", "max_tokens".

// Tokens of a text, as this program estimates them everywhere: a quarter of its UTF-8 bytes, rounded up.
std::uint64_t tokens_of(std::uint64_t bytes);

// What one answer may still hold; spent row by row.
class Meter {
 public:
  Meter(const Budget& budget, std::size_t columns);

  // Whether a row of so many bytes fits behind `bytes_so_far`; if it does, it is spent.
  bool spend(std::size_t bytes_so_far, std::size_t row_bytes);
  std::uint64_t rows() const { return rows_; }
  std::optional<Cap> hit() const { return hit_; }  // Set once a row did not fit.

 private:
  Budget budget_;
  std::size_t columns_;
  std::uint64_t rows_ = 0;
  std::optional<Cap> hit_;
};

enum class Shape : std::uint8_t {
  kRecords,  // [{"a":1,"b":2}, …]
  kLines,    // {"a":1,"b":2} and a line feed for each row (NDJSON), without brackets.
  kColumns,  // [[1,2], …], for beside a list of the columns' names.
  kCsv,      // A header line and lines of CSV: what costs an agent least.
};

struct JsonOptions {
  Shape shape = Shape::kRecords;
  Budget budget;
  std::size_t cell_bytes_max = 0;  // Longer text is cut and ends in "…"; 0 cuts nothing.
  Digits digits = Digits::kExact;
};

// Rows as a JSON array, up to the budget.
class JsonRows {
 public:
  JsonRows(const std::vector<engine::Field>& columns, const JsonOptions& options);

  // Appends rows of the batch from row `from` on and returns how many were taken: fewer only once the budget
  // is spent. What does not fit is not begun.
  std::size_t append(const engine::Batch& batch, std::size_t from = 0);

  const Meter& meter() const { return meter_; }
  std::uint64_t cells_cut() const { return cells_cut_; }
  static bool has_escaped_breaks() { return false; }
  std::size_t bytes() const { return drained_bytes_ + out_.size() + 1; }
  // What has been appended since the last drain. The budget counts drained bytes as well.
  std::size_t pending_bytes() const { return out_.size(); }
  std::string drain();
  std::string take() &&;  // "[…]" or lines, or what is left of them.

 private:
  void append_row(const engine::Batch& batch, std::size_t row);
  void append_cell(const engine::Column& column, std::size_t row);

  std::vector<std::string> keys_;  // `"name":`, with a comma before all but the first.
  JsonOptions options_;
  Meter meter_;
  std::uint64_t cells_cut_ = 0;
  std::size_t names_bytes_ = 0;  // Of the list of columns that stands beside rows that are arrays.
  std::size_t drained_bytes_ = 0;
  std::string out_;
};

struct CsvOptions {
  Budget budget;
  bool is_in_json = false;  // It will be a JSON string: bytes and tokens are counted with its escapes.
  // For reading, not for a file: no line may look like a line of the server ("# 5 of 9 rows shown", "-- 2").
  // A first cell that begins so is quoted. A line break in a cell that such text follows is written as \n.
  bool is_for_reading = false;
  Digits digits = Digits::kExact;
};

// Rows as CSV (RFC 4180, a header line, LF), up to the budget.
class CsvRows {
 public:
  CsvRows(const std::vector<engine::Field>& columns, const CsvOptions& options);
  std::size_t append(const engine::Batch& batch, std::size_t from = 0);
  const Meter& meter() const { return meter_; }

  std::size_t bytes() const { return counted_; }  // As the budget counts them.
  bool has_escaped_breaks() const { return has_escaped_breaks_; }

  // What has been appended since the last drain. The budget counts drained bytes as well.
  std::size_t pending_bytes() const { return out_.size(); }
  std::string drain() { return std::exchange(out_, {}); }
  std::string take() && { return std::move(out_); }

 private:
  std::size_t counted_bytes(std::size_t from) const;  // Of what was appended from there on.
  // Quotes and escapes what was appended from `begin` on, the cell of column `column`.
  void finish_cell(std::size_t begin, std::size_t column, bool is_null);

  CsvOptions options_;
  Meter meter_;
  std::size_t counted_ = 0;  // Bytes of `out_` as the budget counts them.
  bool has_escaped_breaks_ = false;
  std::string out_;
};

}  // namespace sluice::render
