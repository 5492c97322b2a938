#include "decoded_column.h"

#include <algorithm>

namespace sluice::arrow {

namespace {

constexpr std::size_t kWordBits = 64;

void set_null(std::vector<std::uint64_t>& valid, std::size_t row) {
  valid[row / kWordBits] &= ~(std::uint64_t{1} << (row % kWordBits));
}

std::vector<std::uint64_t> all_valid(std::size_t rows) {
  return std::vector<std::uint64_t>((rows + kWordBits - 1) / kWordBits, UINT64_MAX);
}

}  // namespace

void DecodedColumn::resize(std::size_t count, std::size_t cell_width) {
  rows = count;
  width = cell_width;
  cells.resize(count * cell_width);
}

void DecodedColumn::set_text(std::size_t row, std::string_view text) {
  engine::TextCell cell{};
  cell.size = static_cast<std::uint32_t>(text.size());
  std::memcpy(cell.head, text.data(), std::min(text.size(), sizeof(cell.head)));
  if (text.size() > sizeof(cell.head) + sizeof(cell.tail)) {
    cell.pointer = text.data();
  } else if (text.size() > sizeof(cell.head)) {
    std::memcpy(cell.tail, text.data() + sizeof(cell.head), text.size() - sizeof(cell.head));
  }
  set(row, cell);
}

engine::Column DecodedColumn::view() const {
  engine::Column out{
      .type = type, .cells = cells.data(), .valid = valid.empty() ? nullptr : valid.data(), .children = {}};
  for (const DecodedColumn& child : children) out.children.push_back(child.view());
  return out;
}

DecodedColumn gather(const DecodedColumn& from, const std::vector<std::size_t>& rows) {
  DecodedColumn out;
  out.type = from.type;
  out.kept = from.kept;
  out.resize(rows.size(), from.width);
  out.valid = all_valid(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] == kNoRow || from.is_null(rows[i])) {
      set_null(out.valid, i);
    } else {
      std::memcpy(out.cells.data() + i * out.width, from.cells.data() + rows[i] * from.width, from.width);
    }
  }
  return out;
}

void append(DecodedColumn& column, const DecodedColumn& more) {
  std::vector<std::uint64_t> valid = all_valid(column.rows + more.rows);
  for (std::size_t i = 0; i < column.rows; ++i) {
    if (column.is_null(i)) set_null(valid, i);
  }
  for (std::size_t i = 0; i < more.rows; ++i) {
    if (more.is_null(i)) set_null(valid, column.rows + i);
  }
  column.cells.insert(column.cells.end(), more.cells.begin(), more.cells.end());
  column.valid = std::move(valid);
  column.rows += more.rows;
  column.kept.insert(column.kept.end(), more.kept.begin(), more.kept.end());
}

}  // namespace sluice::arrow
