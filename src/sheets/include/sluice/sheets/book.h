#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/inspection/byte_stream.h"

namespace sluice::sheets {

enum class BookFormat : std::uint8_t { kXlsx, kOds, kXls };

enum class CellKind : std::uint8_t { kNumber, kBoolean, kText, kDate, kDateTime, kTime, kDuration };

// A cell that has a value: for a formula, the value that was stored with it.
struct Cell {
  std::uint32_t column = 0;  // 0 is A.
  CellKind kind = CellKind::kNumber;
  double number = 0;        // kNumber. kBoolean: 0 or 1.
  std::int64_t micros = 0;  // kDate, kDateTime: since 1970. kTime: since midnight. kDuration: its length.
  std::string_view text;    // kText, in UTF-8. Lives as long as the call that passes it.
};

// Gets the rows that have values, from the top down, with their cells from the left to the right. Empty cells
// and errors such as #DIV/0! are left out. An error ends the reading with this error.
using RowSink = std::function<Status(std::uint32_t row, std::span<const Cell> cells)>;

// A workbook. Reads the file when it is asked. One thread at a time.
class Book {
 public:
  virtual ~Book() = default;
  // The names of the sheets that have values, or of all if none has: not those that are one chart. As the
  // book has them: any text.
  virtual const std::vector<std::string>& sheets() const = 0;
  // May be called once.
  virtual Status read_sheet(std::size_t sheet, const RowSink& sink) = 0;
};

// `file` must outlive the book. Fails with `unreadable_file` if the file is damaged, is no such book or
// exceeds a bound of limits.h, and with `unsupported_file` if it is encrypted or of an old version.
Result<std::unique_ptr<Book>> open_book(const fs::File& file, BookFormat format,
                                        const inspection::ReadLimits& limits);

}  // namespace sluice::sheets
