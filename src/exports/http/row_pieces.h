#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/exports/file_format.h"
#include "sluice/render/arrow_rows.h"
#include "sluice/render/rows.h"

namespace sluice::exports {

// What rows are written as, and how many may be.
struct PieceOptions {
  FileFormat format = FileFormat::kCsv;  // Not kParquet, which is written by the engine.
  render::ArrowFraming arrow = render::ArrowFraming::kFile;
  bool has_byte_order_mark = false;  // Of CSV: without it spreadsheets take UTF-8 for something else.
  std::uint64_t rows_max = UINT64_MAX;
  std::uint64_t bytes_max = UINT64_MAX;
};

// Rows as the bytes of a file, in pieces of some 100 KB: what is held is one batch of rows and one piece. One
// thread at a time.
class RowPieces {
 public:
  RowPieces(std::unique_ptr<engine::Rows> rows, const PieceOptions& options);

  // The next piece; empty at the end. Fails with kLimitReached and the code "oversize_result" beyond the
  // bounds.
  Result<std::string> next();
  bool is_at_end() const { return is_at_end_; }  // Nothing follows the last piece.

 private:
  using Writer = std::variant<render::CsvRows, render::JsonRows, render::ArrowRows>;
  static Writer make_writer(const engine::Rows& rows, const PieceOptions& options);
  Status append(const engine::Batch& batch);

  std::unique_ptr<engine::Rows> rows_;
  PieceOptions options_;
  Writer writer_;
  std::uint64_t rows_written_ = 0;
  std::uint64_t bytes_written_ = 0;
  bool is_at_end_ = false;
};

}  // namespace sluice::exports
