#include "sluice/engine/batch_builder.h"

#include <algorithm>

namespace sluice::engine {

namespace {

constexpr std::size_t kBatchRowsMax = 2048;
constexpr std::size_t kBatchBytesMax = std::size_t{4} * 1024 * 1024;  // Then a batch ends early.
constexpr std::size_t kArenaBlockBytes = 64 * 1024;
constexpr std::size_t kRowsBetweenLooks = 16;  // Bytes are summed over all columns, so not for every row.

std::size_t decimal_bytes(std::uint8_t width) {
  if (width <= 4) return sizeof(std::int16_t);
  if (width <= 9) return sizeof(std::int32_t);
  return width <= 18 ? sizeof(std::int64_t) : sizeof(Int128);
}

}  // namespace

std::size_t cell_bytes(const Type& type) {
  switch (type.id) {
    case TypeId::kBool:
    case TypeId::kInt8:
    case TypeId::kUInt8:
      return 1;
    case TypeId::kInt16:
    case TypeId::kUInt16:
      return 2;
    case TypeId::kInt32:
    case TypeId::kUInt32:
    case TypeId::kFloat:
    case TypeId::kDate:
      return 4;
    case TypeId::kInt64:
    case TypeId::kUInt64:
    case TypeId::kDouble:
    case TypeId::kTime:
    case TypeId::kTimeNs:
    case TypeId::kTimeTz:
    case TypeId::kTimestampS:
    case TypeId::kTimestampMs:
    case TypeId::kTimestampUs:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTz:
      return 8;
    case TypeId::kDecimal:
      return decimal_bytes(type.width);
    case TypeId::kInt128:
    case TypeId::kUInt128:
    case TypeId::kInterval:
    case TypeId::kUuid:
    case TypeId::kText:
    case TypeId::kBlob:
    case TypeId::kList:
    case TypeId::kMap:
      return 16;
    default:
      return 0;
  }
}

char* TextArena::take(std::size_t bytes) {
  if (blocks_.empty() || blocks_.back().size - used_ < bytes) {
    const std::size_t size = std::max(bytes, kArenaBlockBytes);
    blocks_.push_back({std::make_unique_for_overwrite<char[]>(size), size});
    used_ = 0;
  }
  char* memory = blocks_.back().memory.get() + used_;
  used_ += bytes;
  bytes_ += bytes;
  return memory;
}

void TextArena::clear() {
  if (blocks_.size() > 1) blocks_.resize(1);
  if (!blocks_.empty() && blocks_.front().size > kArenaBlockBytes) blocks_.clear();
  used_ = 0;
  bytes_ = 0;
}

ColumnBuilder::ColumnBuilder(const Type& type) : type_(&type), width_(cell_bytes(type)) {
  if (type.id == TypeId::kList) child_ = std::make_unique<ColumnBuilder>(type.fields.front().type);
}

std::byte* ColumnBuilder::grow() {
  const std::size_t at = cells_.size();
  cells_.resize(at + width_);
  if (rows_ % 64 == 0) valid_.push_back(0);
  valid_.back() |= std::uint64_t{1} << (rows_ % 64);
  ++rows_;
  return cells_.data() + at;
}

void ColumnBuilder::add_null() {
  grow();
  const std::size_t row = rows_ - 1;
  valid_.back() &= ~(std::uint64_t{1} << (row % 64));
  ++nulls_;
}

void ColumnBuilder::add_text(std::string_view text) {
  TextCell cell{};
  cell.size = static_cast<std::uint32_t>(text.size());
  if (text.size() <= sizeof(cell.head) + sizeof(cell.tail)) {
    // Both parts are one run of bytes.
    const std::size_t in_head = std::min(text.size(), sizeof(cell.head));
    std::memcpy(cell.head, text.data(), in_head);
    std::memcpy(cell.tail, text.data() + in_head, text.size() - in_head);
  } else {
    char* memory = arena_.take(text.size());
    std::memcpy(memory, text.data(), text.size());
    std::memcpy(cell.head, text.data(), sizeof(cell.head));
    cell.pointer = memory;
  }
  add(cell);
}

void ColumnBuilder::add_list() {
  const ListCell cell{.offset = listed_, .size = child_->rows() - listed_};
  listed_ = child_->rows();
  add(cell);
}

Column ColumnBuilder::view() const {
  Column column;
  column.type = type_;
  column.cells = cells_.data();
  column.valid = nulls_ == 0 ? nullptr : valid_.data();
  if (child_) column.children.push_back(child_->view());
  return column;
}

void ColumnBuilder::clear() {
  rows_ = 0;
  nulls_ = 0;
  listed_ = 0;
  cells_.clear();
  valid_.clear();
  arena_.clear();
  if (child_) child_->clear();
}

BatchBuilder::BatchBuilder(const std::vector<Field>& columns) {
  columns_.reserve(columns.size());
  for (const Field& column : columns) columns_.emplace_back(column.type);
}

bool BatchBuilder::is_full() const {
  if (rows_ >= kBatchRowsMax) return true;
  if (rows_ % kRowsBetweenLooks != 0) return false;
  std::size_t bytes = 0;
  for (const ColumnBuilder& column : columns_) bytes += column.bytes();
  return bytes >= kBatchBytesMax;
}

void BatchBuilder::clear() {
  rows_ = 0;
  for (ColumnBuilder& column : columns_) column.clear();
}

const Batch* BatchBuilder::finish() {
  batch_.rows = rows_;
  batch_.columns.clear();
  for (const ColumnBuilder& column : columns_) batch_.columns.push_back(column.view());
  return &batch_;
}

}  // namespace sluice::engine
