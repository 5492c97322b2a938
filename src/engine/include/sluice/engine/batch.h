#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "sluice/engine/type.h"

namespace sluice::engine {

// Text and blobs: up to 12 bytes stand in place, longer ones behind a pointer.
struct TextCell {
  std::uint32_t size;
  char head[4];
  union {
    char tail[8];
    const char* pointer;
  };

  std::string_view view() const { return {size <= sizeof(head) + sizeof(tail) ? head : pointer, size}; }
};
static_assert(sizeof(TextCell) == 16);

struct ListCell {  // Where the elements of one list stand in the child column.
  std::uint64_t offset;
  std::uint64_t size;
};

struct Int128 {
  std::uint64_t low;
  std::int64_t high;
};

struct IntervalCell {
  std::int32_t months;
  std::int32_t days;
  std::int64_t micros;
};

// One column of a batch: a view, alive as long as the batch.
//
// Cells by type: integers, floats and kBool (one byte) as themselves; kDecimal as int16, int32, int64 or
// Int128 by its width (to 4, 9, 18, 38 digits), scaled; kDate days, kTime and timestamps their unit since
// 1970; kTimeTz micros << 24 | (57599 - offset in seconds); kUuid an Int128 whose top bit is flipped; kEnum
// an index of 1, 2 or 4 bytes by the number of labels; kText, kBlob, kBit, kBignum a TextCell; kList and kMap
// a ListCell into the child (kMap has two children, keys and values); kArray no cells, row r has the child's
// rows from r * size; kStruct no cells; kUnion no cells, child 0 is the member's index (one byte).
struct Column {
  const Type* type = nullptr;
  const std::byte* cells = nullptr;
  const std::uint64_t* valid = nullptr;  // One bit a row, or null where no row is null.
  std::vector<Column> children;

  bool is_null(std::size_t row) const {
    return valid != nullptr && ((valid[row / 64] >> (row % 64)) & 1U) == 0;
  }
  template <typename T>
  T at(std::size_t row) const {
    T value;
    std::memcpy(&value, cells + row * sizeof(T), sizeof(T));
    return value;
  }
  // Valid as long as the column: short text stands in the cell itself.
  std::string_view text(std::size_t row) const {
    return reinterpret_cast<const TextCell*>(cells)[row].view();
  }
};

struct Batch {
  std::size_t rows = 0;
  std::vector<Column> columns;
};

}  // namespace sluice::engine
