#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <span>

#include "sluice/fs/file.h"
#include "sluice/sheets/book.h"
#include "sluice/sheets/limits.h"

#include "property.h"

// Any bytes as a workbook: it is read or refused, and its cells are in order and within the bounds.
inline void read_any_book(const std::uint8_t* data, std::size_t size, sluice::sheets::BookFormat format) {
  const int descriptor = ::memfd_create("book", MFD_CLOEXEC);
  require(descriptor >= 0, "there is a descriptor");
  require(::write(descriptor, data, size) == static_cast<ssize_t>(size), "the bytes can be written");
  const sluice::fs::File file(sluice::fs::Descriptor(descriptor), "book", size);
  std::size_t sheets = 1;
  for (std::size_t i = 0; i < sheets && i < 3; ++i) {
    const sluice::Result<std::unique_ptr<sluice::sheets::Book>> book =
        sluice::sheets::open_book(file, format, {});
    if (!book.ok()) return;
    sheets = (*book)->sheets().size();
    std::int64_t last_row = -1;
    std::uint64_t cells_read = 0;
    const sluice::Status read =
        (*book)->read_sheet(i, [&](std::uint32_t row, std::span<const sluice::sheets::Cell> cells) {
          require(row > last_row && row < sluice::sheets::kSheetRowsMax, "rows are in order");
          require(!cells.empty(), "a row has values");
          last_row = row;
          std::int64_t last_column = -1;
          for (const sluice::sheets::Cell& cell : cells) {
            require(cell.column > last_column && cell.column < sluice::sheets::kSheetColumnsMax,
                    "columns are in order");
            last_column = cell.column;
          }
          // Enough to know: a few bytes may stand for millions of cells.
          cells_read += cells.size();
          return cells_read < 100'000 ? sluice::Status() : sluice::Status(sluice::cancelled());
        });
    (void)read;
  }
}
