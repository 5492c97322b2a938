#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/file.h"
#include "sluice/fs/file_writer.h"
#include "sluice/inspection/byte_stream.h"
#include "sluice/query/dataset.h"
#include "sluice/query/file_dataset.h"

#include "text_reader.h"

namespace sluice::query {

// What the copy of a sheet holds.
struct SheetForm {
  struct Column {
    std::string name;
    std::string type;        // As SQL names it.
    bool has_empty = false;  // Some cells are empty texts, which are null where the type is not text.
    bool is_empty = false;   // It has neither a name nor a value, and is no column of the table.
  };
  std::vector<Column> columns;  // Of the copy, in its order.
  std::vector<std::string> notes;
  std::uint64_t rows = 0;
  std::size_t line_bytes = 0;  // Of the longest row.
};

struct SheetPlace {
  FileFormat format = FileFormat::kXlsx;
  std::size_t sheet = 0;
};
struct SheetTarget {
  fs::FileWriter& file;
  std::uint64_t bytes_max = 0;
};

// Writes the rows of a sheet as CSV without a header: all that have values, below the one that names the
// columns. Rows end with their last value. The kinds of all cells decide on the types.
Result<SheetForm> write_sheet(const fs::File& book, const SheetPlace& place,
                              const inspection::ReadLimits& limits, const SheetTarget& target);

// How the engine reads such a copy. What the collection says of the types of columns counts.
TextReader sheet_reader(const SheetForm& form, const Collection& collection);

}  // namespace sluice::query
