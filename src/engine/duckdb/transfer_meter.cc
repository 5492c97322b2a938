#include "transfer_meter.h"

#include <algorithm>
#include <utility>

#include "sluice/engine/batch_builder.h"

namespace sluice::engine {

namespace {

std::uint64_t bytes_of(const Column& column, std::size_t rows);

std::uint64_t bytes_of_children(const Column& column, std::size_t rows) {
  std::uint64_t bytes = 0;
  for (const Column& child : column.children) bytes += bytes_of(child, rows);
  return bytes;
}

std::uint64_t bytes_of_texts(const Column& column, std::size_t rows) {
  std::uint64_t bytes = 0;
  for (std::size_t row = 0; row < rows; ++row) bytes += column.is_null(row) ? 1 : 1 + column.text(row).size();
  return bytes;
}

std::uint64_t bytes_of_lists(const Column& column, std::size_t rows) {
  std::uint64_t end = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    if (column.is_null(row)) continue;
    const auto list = column.at<ListCell>(row);
    end = std::max(end, list.offset + list.size);
  }
  return rows * sizeof(ListCell) + bytes_of_children(column, end);
}

std::uint64_t bytes_of(const Column& column, std::size_t rows) {
  switch (column.type->id) {
    case TypeId::kText:
    case TypeId::kBlob:
      return bytes_of_texts(column, rows);
    case TypeId::kList:
    case TypeId::kMap:
      return bytes_of_lists(column, rows);
    case TypeId::kStruct:
      return bytes_of_children(column, rows);
    case TypeId::kArray:
      return bytes_of_children(column, rows * column.type->array_size);
    default:
      return rows * cell_bytes(*column.type);
  }
}

class MeteredRows final : public Rows {
 public:
  MeteredRows(std::unique_ptr<Rows> rows, TransferMeter& meter) : rows_(std::move(rows)), meter_(meter) {}

  const std::vector<Field>& columns() const override { return rows_->columns(); }

  Result<const Batch*> next() override {
    SLUICE_TRY(const Batch* batch, rows_->next());
    if (batch != nullptr) SLUICE_CHECK(meter_.add(bytes_of(*batch)));
    return batch;
  }

 private:
  const std::unique_ptr<Rows> rows_;
  TransferMeter& meter_;
};

}  // namespace

Status TransferMeter::add(std::uint64_t bytes) {
  if (bytes_.fetch_add(bytes) + bytes <= bytes_max_) return {};
  return limit_reached("bytes that databases send to one statement", bytes_max_)
      .with_code(kTransferLimit)
      .with_hint("Ask for fewer rows or columns: a filter, or an aggregate that the database can compute.");
}

std::uint64_t bytes_of(const Batch& batch) {
  std::uint64_t bytes = 0;
  for (const Column& column : batch.columns) bytes += bytes_of(column, batch.rows);
  return bytes;
}

std::unique_ptr<Rows> metered_rows(std::unique_ptr<Rows> rows, TransferMeter& meter) {
  return std::make_unique<MeteredRows>(std::move(rows), meter);
}

}  // namespace sluice::engine
