#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/engine/batch.h"

namespace sluice::render {

struct TextTableOptions {
  std::uint64_t rows_max = UINT64_MAX;
  std::uint64_t bytes_max = std::uint64_t{256} << 20U;  // Of all cells; a row that passes it is not taken.
  std::size_t width_max = 0;  // Columns of the terminal that a line may take; 0: as many as it needs.
};

// Rows as a table for people: a header, a line, and one line for each row, in columns that are aligned by
// what a terminal shows. Numbers stand at the right. Null is NULL, the empty text is empty. Floating point
// has at most 15 significant digits. Control characters are escaped (see text::make_visible).
//
// Within `width_max` the widest columns are made narrower, those of numbers last, and what does not fit a
// cell ends in "…"; if that does not suffice, the last columns are left out.
class TextTable {
 public:
  TextTable(const std::vector<engine::Field>& columns, const TextTableOptions& options);

  // Appends rows of the batch from row `from` on and returns how many were taken: fewer only once a bound is
  // reached.
  std::size_t append(const engine::Batch& batch, std::size_t from = 0);

  std::size_t columns() const { return names_.size(); }
  std::uint64_t rows() const { return rows_; }

  struct Layout {
    std::vector<std::size_t> widths;  // Of the columns that are shown, in order.
    bool has_more_columns = false;    // A last column of "…" stands for those that are not.
  };
  Layout lay_out() const;
  std::string header(const Layout& layout) const;
  std::string row(const Layout& layout, std::uint64_t row) const;

 private:
  std::string line(const Layout& layout, const std::string* cells) const;
  void measure(std::size_t column, const std::string& cell);

  const TextTableOptions options_;
  std::vector<std::string> names_;
  std::vector<bool> is_number_;      // One for each column.
  std::vector<std::size_t> widths_;  // Of the widest cell of each column, the name included.
  std::vector<std::string> cells_;   // Row by row.
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace sluice::render
