#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/file.h"

namespace sluice::inspection {

enum class Compression : std::uint8_t { kNone, kGzip, kZstd };

// When reading must end. Past either, it fails with kCancelled or kDeadline.
struct ReadLimits {
  Monotonic deadline = Monotonic::max();
  std::stop_token stop;
};

// The content of a file from its beginning, decompressed as it is read: memory stays bounded however large
// the content is. Concatenated gzip members and zstd frames are read as one content. One thread at a time.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // The next bytes, which live until the next call; empty at the end. Fails with `unreadable_file` if the
  // compressed data is damaged or ends too early.
  virtual Result<std::string_view> next() = 0;
  // How many bytes of the file have been read to produce the content so far.
  virtual std::uint64_t file_bytes_read() const = 0;
};

// `file` must outlive the stream.
Result<std::unique_ptr<ByteStream>> open_stream(const fs::File& file, Compression compression,
                                                const ReadLimits& limits);

// The first bytes of the content.
struct Beginning {
  std::string bytes;
  bool is_whole = false;              // The content has no more bytes than these.
  std::uint64_t file_bytes_read = 0;  // Of the file, to produce them; an estimate if it is compressed.
};
Result<Beginning> read_beginning(const fs::File& file, Compression compression, std::size_t bytes_max,
                                 const ReadLimits& limits);

}  // namespace sluice::inspection
