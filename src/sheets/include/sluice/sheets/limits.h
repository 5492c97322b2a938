#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::sheets {

// As many as the applications that write books allow.
inline constexpr std::uint32_t kSheetRowsMax = 1'048'576;
inline constexpr std::uint32_t kSheetColumnsMax = 16'384;
inline constexpr std::size_t kSheetsMax = 1'000;  // Of one book; others are left out.

// Of all parts of a book that are read together, and of the file itself.
inline constexpr std::uint64_t kBookBytesMax = std::uint64_t{256} << 20U;
// How many times larger a part may be than what is stored of it, beyond its first megabyte.
inline constexpr std::uint64_t kUnpackedRatioMax = 100;
inline constexpr std::uint64_t kUnpackedBytesFree = std::uint64_t{1} << 20U;
// The list of parts at the end of an archive, which is held in memory.
inline constexpr std::uint64_t kArchiveListBytesMax = std::uint64_t{4} << 20U;
// A tag of XML with its attributes. Text comes in pieces of any length.
inline constexpr std::size_t kXmlTagBytesMax = std::size_t{1} << 20U;
// A few bytes can say that a row or a cell is repeated a million times.
inline constexpr std::uint64_t kSheetCellsMax = std::uint64_t{16} << 20U;

}  // namespace sluice::sheets
