#include "sluice/inspection/byte_stream.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>

namespace sluice::inspection {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10U;
// A frame may ask for as much memory as its window has. 128 MiB is what the zstd program accepts by default.
constexpr int kZstdWindowLog = 27;
constexpr int kGzipOnly = MAX_WBITS + 16;

Error damaged_stream(std::string_view what) {
  return unavailable("decompress file: " + std::string(what))
      .with_code("unreadable_file")
      .with_hint("The compressed file is damaged or incomplete. Replace it with a good copy.");
}

// Reads the file piece by piece.
class FilePieces {
 public:
  FilePieces(const fs::File& file, ReadLimits limits) : file_(file), limits_(std::move(limits)) {}

  Status advance() {
    if (limits_.stop.stop_requested()) return cancelled();
    if (system_clock().now() > limits_.deadline) return deadline_exceeded();
    SLUICE_TRY(piece_, file_.read_at(offset_, kPieceBytes));
    offset_ += piece_.size();
    return {};
  }
  const std::string& piece() const { return piece_; }
  std::uint64_t offset() const { return offset_; }

 private:
  const fs::File& file_;
  const ReadLimits limits_;
  std::uint64_t offset_ = 0;
  std::string piece_;
};

class PlainStream final : public ByteStream {
 public:
  PlainStream(const fs::File& file, const ReadLimits& limits) : pieces_(file, limits) {}

  Result<std::string_view> next() override {
    SLUICE_CHECK(pieces_.advance());
    return std::string_view(pieces_.piece());
  }
  std::uint64_t file_bytes_read() const override { return pieces_.offset(); }

 private:
  FilePieces pieces_;
};

class GzipStream final : public ByteStream {
 public:
  GzipStream(const fs::File& file, const ReadLimits& limits)
      : pieces_(file, limits), out_(kPieceBytes, '\0') {}
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override {
    if (is_open_) inflateEnd(&stream_);
  }

  Status open() {
    is_open_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
    return is_open_ ? Status() : internal_error("decompress file: no memory for zlib");
  }

  Result<std::string_view> next() override {
    while (true) {
      if (stream_.avail_in == 0) {
        SLUICE_CHECK(pieces_.advance());
        if (pieces_.piece().empty()) {
          if (is_between_members_) return std::string_view();
          return damaged_stream("the gzip data ends too early");
        }
        // zlib reads from the buffer only; its interface predates const.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(pieces_.piece().data()));  // NOLINT
        stream_.avail_in = static_cast<uInt>(pieces_.piece().size());
      }
      // Zeros behind the last member are padding.
      if (is_between_members_ && members_ > 0 && *stream_.next_in == 0) {
        ++stream_.next_in;
        --stream_.avail_in;
        continue;
      }
      is_between_members_ = false;
      stream_.next_out = reinterpret_cast<Bytef*>(out_.data());  // NOLINT
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int state = inflate(&stream_, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
        return damaged_stream("the gzip data is damaged");
      if (state == Z_STREAM_END) {
        ++members_;
        is_between_members_ = true;
        if (inflateReset(&stream_) != Z_OK) return internal_error("decompress file: zlib cannot be reset");
      }
      const std::size_t made = out_.size() - stream_.avail_out;
      if (made > 0) return std::string_view(out_).substr(0, made);
    }
  }
  std::uint64_t file_bytes_read() const override { return pieces_.offset() - stream_.avail_in; }

 private:
  FilePieces pieces_;
  std::string out_;
  z_stream stream_{};
  bool is_open_ = false;
  bool is_between_members_ = true;
  std::uint64_t members_ = 0;
};

struct FreeZstd {
  void operator()(ZSTD_DCtx* context) const noexcept { ZSTD_freeDCtx(context); }
};

class ZstdStream final : public ByteStream {
 public:
  ZstdStream(const fs::File& file, const ReadLimits& limits)
      : pieces_(file, limits), out_(kPieceBytes, '\0'), context_(ZSTD_createDCtx()) {}

  Status open() {
    const bool is_open = context_ && ZSTD_isError(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax,
                                                                         kZstdWindowLog)) == 0;
    return is_open ? Status() : internal_error("decompress file: no memory for zstd");
  }

  Result<std::string_view> next() override {
    while (true) {
      // A full buffer may leave output inside of the context, to be fetched without more input.
      if (in_.pos == in_.size && !was_full_) {
        SLUICE_CHECK(pieces_.advance());
        if (pieces_.piece().empty()) {
          if (wanted_ == 0) return std::string_view();
          return damaged_stream("the zstd data ends too early");
        }
        in_ = {.src = pieces_.piece().data(), .size = pieces_.piece().size(), .pos = 0};
      }
      ZSTD_outBuffer out{.dst = out_.data(), .size = out_.size(), .pos = 0};
      wanted_ = ZSTD_decompressStream(context_.get(), &out, &in_);
      if (ZSTD_isError(wanted_) != 0) return damaged_stream("the zstd data is damaged");
      was_full_ = out.pos == out.size;
      if (out.pos > 0) return std::string_view(out_).substr(0, out.pos);
    }
  }
  std::uint64_t file_bytes_read() const override { return pieces_.offset() - (in_.size - in_.pos); }

 private:
  FilePieces pieces_;
  std::string out_;
  std::unique_ptr<ZSTD_DCtx, FreeZstd> context_;
  ZSTD_inBuffer in_{.src = nullptr, .size = 0, .pos = 0};
  std::size_t wanted_ = 0;  // 0 between two frames.
  bool was_full_ = false;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> open_stream(const fs::File& file, Compression compression,
                                                const ReadLimits& limits) {
  switch (compression) {
    case Compression::kNone:
      break;
    case Compression::kGzip: {
      auto stream = std::make_unique<GzipStream>(file, limits);
      SLUICE_CHECK(stream->open());
      return std::unique_ptr<ByteStream>(std::move(stream));
    }
    case Compression::kZstd: {
      auto stream = std::make_unique<ZstdStream>(file, limits);
      SLUICE_CHECK(stream->open());
      return std::unique_ptr<ByteStream>(std::move(stream));
    }
  }
  return std::unique_ptr<ByteStream>(std::make_unique<PlainStream>(file, limits));
}

Result<Beginning> read_beginning(const fs::File& file, Compression compression, std::size_t bytes_max,
                                 const ReadLimits& limits) {
  SLUICE_TRY(const std::unique_ptr<ByteStream> stream, open_stream(file, compression, limits));
  Beginning out;
  std::uint64_t content_bytes = 0;
  while (out.bytes.size() < bytes_max) {
    SLUICE_TRY(const std::string_view piece, stream->next());
    out.is_whole = piece.empty();
    if (piece.empty()) break;
    content_bytes += piece.size();
    out.bytes += piece.substr(0, bytes_max - out.bytes.size());
  }
  if (content_bytes > 0)
    out.file_bytes_read = static_cast<std::uint64_t>(static_cast<double>(stream->file_bytes_read()) *
                                                     static_cast<double>(out.bytes.size()) /
                                                     static_cast<double>(content_bytes));
  return out;
}

}  // namespace sluice::inspection
