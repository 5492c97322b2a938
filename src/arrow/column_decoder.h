#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "sluice/base/result.h"

#include "buffer_reader.h"
#include "decoded_column.h"
#include "schema_reader.h"

namespace sluice::arrow {

// The values that numbers in columns stand for, by the id of the dictionary.
using Dictionaries = std::map<std::int64_t, DecodedColumn>;

// Decodes the columns of one batch in the order of the schema; those that are not wanted are skipped unread.
// Nothing that the file says is trusted: places, sizes and numbers are checked, and text that is not UTF-8 is
// repaired. One thread at a time.
class ColumnDecoder {
 public:
  // All must outlive it.
  ColumnDecoder(BufferReader& buffers, const Dictionaries& dictionaries)
      : buffers_(buffers), dictionaries_(dictionaries) {}

  Result<DecodedColumn> decode(const ArrowField& field, std::uint64_t rows);
  // The values of a dictionary themselves, which are stored as a column without one.
  Result<DecodedColumn> decode_plain(const ArrowField& field, std::uint64_t rows);
  Status skip(const ArrowField& field);

 private:
  Status begin(const ArrowField& field, std::uint64_t rows, DecodedColumn& column);
  Status decode_stored(const ArrowField& field, DecodedColumn& column);
  Result<DecodedColumn> decode_numbers(const ArrowField& field, std::uint64_t rows);
  Result<std::vector<std::uint64_t>> read_offsets(std::uint64_t rows, std::size_t bytes);
  Status decode_texts(std::size_t offset_bytes, DecodedColumn& column);
  Status decode_views(DecodedColumn& column);
  Status decode_fixed_binary(std::size_t bytes, DecodedColumn& column);
  Status decode_bits(DecodedColumn& column);
  Status decode_lists(const ArrowField& field, DecodedColumn& column);
  Status decode_children(const ArrowField& field, std::uint64_t rows, DecodedColumn& column);
  Result<std::size_t> take_variadic();

  BufferReader& buffers_;
  const Dictionaries& dictionaries_;
  std::size_t node_ = 0;  // The next ones.
  std::size_t buffer_ = 0;
  std::size_t variadic_ = 0;
};

}  // namespace sluice::arrow
