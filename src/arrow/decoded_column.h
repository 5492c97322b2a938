#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/engine/batch.h"
#include "sluice/engine/type.h"

namespace sluice::arrow {

// The cells of a column or a part of one, as batch.h lays them out, with the memory that they point to.
struct DecodedColumn {
  const engine::Type* type = nullptr;  // Of the file's schema, which outlives this.
  std::size_t rows = 0;
  std::size_t width = 0;  // Of a cell; 0 where there are none.
  std::vector<std::byte> cells;
  std::vector<std::uint64_t> valid;  // One bit a row; empty where no row is null.
  std::vector<DecodedColumn> children;
  std::vector<std::shared_ptr<const std::string>> kept;  // What texts point into; shared with other columns.

  void resize(std::size_t count, std::size_t cell_width);
  bool is_null(std::size_t row) const {
    return !valid.empty() && ((valid[row / 64] >> (row % 64)) & 1U) == 0;
  }
  template <typename T>
  void set(std::size_t row, const T& value) {
    std::memcpy(cells.data() + row * width, &value, sizeof(T));
  }
  // The text must live in `kept` unless it has at most 12 bytes.
  void set_text(std::size_t row, std::string_view text);

  engine::Column view() const;  // As long as this is not changed.
};

// The cells of `from` at the given rows; null for those that are `kNoRow`.
inline constexpr std::size_t kNoRow = SIZE_MAX;
DecodedColumn gather(const DecodedColumn& from, const std::vector<std::size_t>& rows);
// Adds the rows of `more` to `column`, which has the same type and no children.
void append(DecodedColumn& column, const DecodedColumn& more);

}  // namespace sluice::arrow
