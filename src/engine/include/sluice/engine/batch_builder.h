#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "sluice/engine/batch.h"
#include "sluice/engine/type.h"

namespace sluice::engine {

// Bytes of one cell of the type as batch.h lays it out; 0 where it has none or clients do not build it.
std::size_t cell_bytes(const Type& type);

// Memory for texts, which stand still until it is cleared.
class TextArena {
 public:
  char* take(std::size_t bytes);
  void clear();  // Keeps one block.
  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    std::unique_ptr<char[]> memory;
    std::size_t size = 0;
  };
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // Of the last block.
  std::size_t bytes_ = 0;
};

// One column while its rows are added, null by null and value by value.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(const Type& type);  // Which must outlive it.

  const Type& type() const { return *type_; }
  std::size_t rows() const { return rows_; }
  std::size_t bytes() const { return cells_.size() + arena_.bytes() + (child_ ? child_->bytes() : 0); }

  void add_null();
  template <typename T>
  void add(T value) {  // Of exactly cell_bytes(type()).
    std::memcpy(grow(), &value, sizeof(T));
  }
  void add_text(std::string_view text);
  // A list of all that was added to the child since the list before.
  void add_list();
  ColumnBuilder& child() { return *child_; }

  Column view() const;  // Until something is added or cleared.
  void clear();

 private:
  std::byte* grow();  // The next row, valid, its cell all zero.

  const Type* type_;
  std::size_t width_;
  std::size_t rows_ = 0;
  std::size_t nulls_ = 0;
  std::size_t listed_ = 0;  // Of the child's rows.
  std::vector<std::byte> cells_;
  std::vector<std::uint64_t> valid_;
  TextArena arena_;
  std::unique_ptr<ColumnBuilder> child_;  // Of a list.
};

// The rows of one batch.
class BatchBuilder {
 public:
  explicit BatchBuilder(const std::vector<Field>& columns);  // Which must outlive it.

  std::vector<ColumnBuilder>& columns() { return columns_; }
  void end_row() { ++rows_; }
  bool is_empty() const { return rows_ == 0; }
  bool is_full() const;
  void clear();
  const Batch* finish();  // Until it is cleared.

 private:
  std::vector<ColumnBuilder> columns_;
  std::size_t rows_ = 0;
  Batch batch_;
};

}  // namespace sluice::engine
