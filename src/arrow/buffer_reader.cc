#include "buffer_reader.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <lz4frame.h>

#include "sluice/arrow/limits.h"
#include "sluice/base/clock.h"

#include "arrow_failure.h"

namespace sluice::arrow {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20U;
constexpr std::size_t kPrefixBytes = 8;  // The size of a packed buffer when it is unpacked.
constexpr std::int64_t kStored = -1;     // Instead of that size: it is not packed after all.

struct FreeLz4 {
  void operator()(LZ4F_dctx_s* context) const noexcept { LZ4F_freeDecompressionContext(context); }
};

Result<std::string> unpack_lz4(std::string_view packed, std::size_t bytes) {
  LZ4F_dctx* raw = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&raw, LZ4F_VERSION)) != 0)
    return internal_error("read Arrow file: no memory for lz4");
  const std::unique_ptr<LZ4F_dctx_s, FreeLz4> context(raw);
  std::string out(bytes, '\0');
  std::size_t done = 0;
  while (!packed.empty()) {
    std::size_t to_bytes = out.size() - done;
    std::size_t from_bytes = packed.size();
    const std::size_t next =
        LZ4F_decompress(context.get(), out.data() + done, &to_bytes, packed.data(), &from_bytes, nullptr);
    if (LZ4F_isError(next) != 0 || (to_bytes == 0 && from_bytes == 0))
      return damaged_arrow("a buffer cannot be unpacked");
    done += to_bytes;
    packed.remove_prefix(from_bytes);
    if (next == 0) break;
  }
  if (done != bytes) return damaged_arrow("a buffer has another size than it says");
  return out;
}

Result<std::string> unpack_zstd(std::string_view packed, std::size_t bytes) {
  std::string out(bytes, '\0');
  const std::size_t done = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(done) != 0) return damaged_arrow("a buffer cannot be unpacked");
  if (done != bytes) return damaged_arrow("a buffer has another size than it says");
  return out;
}

// How much is unpacked is decided by eight bytes of the file. What little can be that much is refused before
// memory is taken for it.
bool can_hold(std::size_t packed_bytes, std::uint64_t bytes, BatchLayout::Codec codec) {
  constexpr std::uint64_t kLz4Ratio = 256;
  constexpr std::uint64_t kZstdRatio = 100'000;
  const std::uint64_t ratio = codec == BatchLayout::Codec::kLz4 ? kLz4Ratio : kZstdRatio;
  return bytes / ratio <= packed_bytes;
}

}  // namespace

Result<std::string> read_bytes(const fs::File& file, std::uint64_t offset, std::uint64_t bytes) {
  std::string out;
  while (out.size() < bytes) {
    const std::size_t wanted = std::min<std::uint64_t>(kReadBytes, bytes - out.size());
    SLUICE_TRY(const std::string piece, file.read_at(offset + out.size(), wanted));
    out += piece;
    if (piece.size() < wanted) break;
  }
  return out;
}

Result<BatchLayout> read_layout(const FlatTable& batch, const BodyPlace& body) {
  constexpr std::size_t kPairBytes = 16;
  BatchLayout out;
  const auto rows = batch.scalar<std::int64_t>(0, 0);
  if (rows < 0 || static_cast<std::uint64_t>(rows) > kArrowBatchRowsMax)
    return too_large_arrow("rows in one batch of an Arrow file", kArrowBatchRowsMax);
  out.rows = static_cast<std::uint64_t>(rows);
  const FlatTable::Vector nodes = batch.vector(1, kPairBytes);
  for (std::size_t i = 0; i < nodes.size; ++i) {
    out.nodes.push_back({.rows = batch.item_at<std::uint64_t>(nodes, i, kPairBytes, 0),
                         .nulls = batch.item_at<std::uint64_t>(nodes, i, kPairBytes, 8)});
    if (out.nodes.back().rows > kArrowBatchRowsMax)
      return too_large_arrow("rows in one batch of an Arrow file", kArrowBatchRowsMax);
  }
  const FlatTable::Vector buffers = batch.vector(2, kPairBytes);
  for (std::size_t i = 0; i < buffers.size; ++i) {
    const auto offset = batch.item_at<std::uint64_t>(buffers, i, kPairBytes, 0);
    const auto bytes = batch.item_at<std::uint64_t>(buffers, i, kPairBytes, 8);
    if (offset > body.bytes || bytes > body.bytes - offset)
      return damaged_arrow("a buffer lies outside of its batch");
    out.buffers.push_back({.offset = body.offset + offset, .bytes = bytes});
  }
  if (const std::optional<FlatTable> compression = batch.table(3)) {
    const auto codec = compression->scalar<std::int8_t>(0, 0);
    if (codec != 0 && codec != 1) return unsupported_arrow("a compression that is neither lz4 nor zstd");
    out.codec = codec == 0 ? BatchLayout::Codec::kLz4 : BatchLayout::Codec::kZstd;
  }
  const FlatTable::Vector variadic = batch.vector(4, sizeof(std::int64_t));
  for (std::size_t i = 0; i < variadic.size; ++i)
    out.variadic.push_back(batch.item_at<std::uint64_t>(variadic, i, sizeof(std::int64_t), 0));
  return out;
}

Status BufferReader::take(std::uint64_t bytes) {
  if (limits_.stop.stop_requested()) return cancelled();
  if (system_clock().now() > limits_.deadline) return deadline_exceeded();
  if (bytes > kArrowBatchBytesMax - taken_bytes_)
    return too_large_arrow("bytes of one batch of an Arrow file", kArrowBatchBytesMax);
  taken_bytes_ += bytes;
  return {};
}

Result<std::shared_ptr<const std::string>> BufferReader::read(std::size_t buffer, std::uint64_t bytes_min) {
  if (buffer >= layout_.buffers.size()) return damaged_arrow("a batch has too few buffers");
  const BatchLayout::Buffer& place = layout_.buffers[buffer];
  SLUICE_CHECK(take(place.bytes));
  SLUICE_TRY(std::string bytes, read_bytes(file_, place.offset, place.bytes));
  if (bytes.size() < place.bytes) return damaged_arrow("it ends too early");
  if (layout_.codec != BatchLayout::Codec::kNone && !bytes.empty()) {
    if (bytes.size() < kPrefixBytes) return damaged_arrow("a buffer has no size");
    std::int64_t unpacked = 0;
    std::memcpy(&unpacked, bytes.data(), sizeof(unpacked));
    const std::string_view packed = std::string_view(bytes).substr(kPrefixBytes);
    if (unpacked == kStored) {
      bytes.erase(0, kPrefixBytes);
    } else {
      const auto size = static_cast<std::uint64_t>(unpacked);
      if (unpacked < 0 || !can_hold(packed.size(), size, layout_.codec))
        return damaged_arrow("a buffer has another size than it says");
      SLUICE_CHECK(take(size));
      SLUICE_TRY(bytes, layout_.codec == BatchLayout::Codec::kLz4 ? unpack_lz4(packed, size)
                                                                  : unpack_zstd(packed, size));
    }
  }
  if (bytes.size() < bytes_min) return damaged_arrow("a buffer is too short for its rows");
  return std::make_shared<const std::string>(std::move(bytes));
}

}  // namespace sluice::arrow
