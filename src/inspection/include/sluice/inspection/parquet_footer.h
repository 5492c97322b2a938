#pragma once

#include <cstddef>
#include <cstdint>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fs/file.h"

namespace sluice::inspection {

// The engine's recursion takes stack for each level, and its time grows with their square: 200 levels take
// milliseconds, 4,000 take 15 seconds and 2 GB, 20,000 end the process. As for JSON, a value of so many
// levels still fits a message; a list or map takes two levels.
inline constexpr std::size_t kParquetLevelsMax = 50;
static_assert(kParquetLevelsMax + 8 <= kJsonDepthMax);
inline constexpr std::size_t kParquetElementsMax = 250'000;  // Of the schema: columns and what groups them.
// Binding `SELECT *` takes time with the square of the columns, and is not interrupted meanwhile: 50,000 take
// a second or two, 200,000 (a file of 2.7 MB) half a minute.
inline constexpr std::size_t kParquetColumnsMax = 50'000;
inline constexpr std::size_t kParquetFooterBytesMax = std::size_t{256} << 20U;

// What the footer of a Parquet file says.
struct ParquetFooter {
  std::uint64_t rows = 0;
  std::size_t levels = 0;    // Of the schema, without its root.
  std::size_t elements = 0;  // Of the schema.
  std::size_t columns = 0;   // Of a row; a group is one.
};

// Walks the footer without recursion. Fails with `nesting_too_deep` if the schema has too many levels or
// elements, with `too_many_columns`, and with `unreadable_file` if this is no Parquet file or its footer is
// damaged.
Result<ParquetFooter> read_parquet_footer(const fs::File& file);

}  // namespace sluice::inspection
