#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/json/object_reader.h"
#include "sluice/json/reader.h"
#include "sluice/records/operation.h"

namespace sluice::records {

// What a line of a journal may be; an operation on many records is a long one.
inline constexpr std::size_t kJournalLineBytesMax = std::size_t{256} << 20U;
inline constexpr json::ReadLimits kJournalLimits = {
    .bytes_max = kJournalLineBytesMax, .depth_max = kJsonDepthMax, .values_max = std::size_t{64} << 20U};

// `new_columns` of a line.
Result<std::vector<NewColumn>> columns_of(const json::ObjectReader& reader);

// Where a journal was read to.
struct JournalPlace {
  std::uint64_t segment = 0;  // From 1; 0 where there is none.
  std::uint64_t offset = 0;
  std::uint64_t last =
      0;  // Where the last line that was read begins, and its digest: a line whose sync failed is cut
  std::string mark;  // off again, and a reader may have seen it.
};

// The operations of one data type, in files that are only ever added to: `_journal/<type>/00000001.log`, … A
// line is 16 hexadecimal digits of its SHA-256, a space, and a JSON object. Each file begins with a line that
// says which Parquet file it continues, so the newest alone gives the present state. A last line that is not
// whole was never acknowledged and is cut off by the next writer.
class Journal {
 public:
  Journal(const fs::Root& root, std::string_view data_type);

  const std::string& folder() const { return folder_; }

  Result<std::vector<std::uint64_t>> segments() const;  // In ascending order.

  // The JSON of every whole line from `place` to the end of its segment; moves `place` behind them.
  // kInternal, code `journal_damaged`, where a line that is not whole stands before one that is; kConflict
  // where the last line that was read is not there any more.
  Result<std::vector<std::string>> read_on(JournalPlace& place) const;

  // The JSON of the lines of a segment from its end to its beginning, until `visit` returns false.
  Status read_back(std::uint64_t segment, const std::function<bool(std::string_view json)>& visit) const;

  // Adds a line behind `place`, which must be the end of the newest segment, and moves it. Durable. One
  // writer at a time.
  Status append(JournalPlace& place, std::string_view json) const;

  // Begins the segment behind `place` with this line. Durable. One writer at a time.
  Status begin_segment(JournalPlace& place, std::string_view json) const;

  Status remove_segment(std::uint64_t segment) const;
  Result<std::uint64_t> bytes_of(std::uint64_t segment) const;
  Result<WallTime> modified(std::uint64_t segment) const;
  bool has_segment(std::uint64_t segment) const;

 private:
  std::string path_of(std::uint64_t segment) const;
  Error damaged(std::uint64_t segment) const;

  const fs::Root& root_;
  std::string data_type_;
  std::string folder_;
};

}  // namespace sluice::records
