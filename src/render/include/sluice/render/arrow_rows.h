#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/engine/batch.h"

namespace sluice::render {

// Offsets within a batch are of 32 bits.
inline constexpr std::size_t kArrowBatchBytesMax = 0x7FFFFFFF;

// How the messages of Arrow IPC are framed: a file ends in an index of its batches, a stream just ends.
enum class ArrowFraming : std::uint8_t { kFile, kStream };

// Rows as an Arrow IPC file or stream, up to a number of bytes.
//
// Booleans, integers of up to 64 bits, floating point, decimals (as Decimal128), dates, times, timestamps
// (with zone: in UTC), text, blobs, lists, arrays (as FixedSizeList) and structs have their Arrow types.
// Everything else has none that holds it whole, and is text as in CSV: integers of 128 bits, intervals, times
// with zone, UUIDs, bits, enums, maps, unions and columns of nulls.
class ArrowRows {
 public:
  ArrowRows(const std::vector<engine::Field>& columns, std::size_t bytes_max,
            ArrowFraming framing = ArrowFraming::kFile);

  // Appends all rows of the batch from row `from` on and returns how many: none where they do not fit.
  std::size_t append(const engine::Batch& batch, std::size_t from = 0);
  // What has been appended since the last drain; the bytes of a file are all drained ones, then take().
  std::size_t pending_bytes() const { return out_.size(); }
  std::string drain();
  std::string take() &&;

 private:
  struct Message {  // Where one stands in the file.
    std::uint64_t offset = 0;
    std::uint32_t metadata_bytes = 0;
    std::uint64_t body_bytes = 0;
  };
  Message add_message(const std::string& metadata, const std::string& body);

  const std::vector<engine::Field> columns_;
  const std::size_t bytes_max_;
  const ArrowFraming framing_;
  std::vector<Message> messages_;  // Those with rows.
  std::uint64_t drained_bytes_ = 0;
  std::string out_;
};

}  // namespace sluice::render
