#include "http/row_pieces.h"

#include <utility>

namespace sluice::exports {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{128} << 10U;  // Collected before they are sent.
constexpr Budget kNoBudget{
    .rows = UINT64_MAX, .cells = UINT64_MAX, .bytes = UINT64_MAX, .tokens = UINT64_MAX};
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Error too_much(std::string_view what, std::uint64_t most) {
  return limit_reached(what, most)
      .with_code("oversize_result")
      .with_hint("Ask for less: fewer columns, a filter, an aggregate or LIMIT.");
}

}  // namespace

RowPieces::RowPieces(std::unique_ptr<engine::Rows> rows, const PieceOptions& options)
    : rows_(std::move(rows)), options_(options), writer_(make_writer(*rows_, options)) {}

RowPieces::Writer RowPieces::make_writer(const engine::Rows& rows, const PieceOptions& options) {
  switch (options.format) {
    case FileFormat::kJson:
      return render::JsonRows(rows.columns(), {.shape = render::Shape::kRecords, .budget = kNoBudget});
    case FileFormat::kNdjson:
      return render::JsonRows(rows.columns(), {.shape = render::Shape::kLines, .budget = kNoBudget});
    case FileFormat::kArrow:
      return render::ArrowRows(rows.columns(), SIZE_MAX, options.arrow);
    case FileFormat::kCsv:
    case FileFormat::kParquet:
      break;
  }
  return render::CsvRows(rows.columns(), {.budget = kNoBudget});
}

Status RowPieces::append(const engine::Batch& batch) {
  rows_written_ += batch.rows;
  if (rows_written_ > options_.rows_max) return too_much("rows of one response", options_.rows_max);
  const std::size_t taken = std::visit([&](auto& writer) { return writer.append(batch); }, writer_);
  if (taken < batch.rows) return too_much("bytes of one batch of rows", render::kArrowBatchBytesMax);
  return {};
}

Result<std::string> RowPieces::next() {
  if (is_at_end_) return std::string();
  const bool is_first = bytes_written_ == 0;
  std::string piece;
  while (piece.empty()) {
    SLUICE_TRY(const engine::Batch* batch, rows_->next());
    if (batch != nullptr) SLUICE_CHECK(append(*batch));
    is_at_end_ = batch == nullptr;
    if (is_at_end_) {
      piece = std::visit([](auto& writer) { return std::move(writer).take(); }, writer_);
      if (options_.format == FileFormat::kJson) piece += '\n';
      break;
    }
    const bool is_full =
        std::visit([](const auto& writer) { return writer.pending_bytes() >= kPieceBytes; }, writer_);
    if (is_full) piece = std::visit([](auto& writer) { return writer.drain(); }, writer_);
  }
  if (is_first && options_.has_byte_order_mark && options_.format == FileFormat::kCsv)
    piece.insert(0, kByteOrderMark);
  bytes_written_ += piece.size();
  if (bytes_written_ > options_.bytes_max) return too_much("bytes of one response", options_.bytes_max);
  return piece;
}

}  // namespace sluice::exports
