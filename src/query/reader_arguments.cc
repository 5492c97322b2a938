#include "reader_arguments.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include <fmt/format.h>

#include "file_encoding.h"

namespace sluice::query {

namespace {

constexpr std::uint64_t kSmallFileBytes = std::uint64_t{1} << 20U;
constexpr std::uint64_t kSmallBufferBytes = std::uint64_t{64} << 10U;

}  // namespace

std::string reader_function_of(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
    case FileFormat::kTsv:
    case FileFormat::kXlsx:
    case FileFormat::kOds:
    case FileFormat::kXls:
      return "read_csv";
    case FileFormat::kJson:
    case FileFormat::kNdjson:
      return "read_json";
    case FileFormat::kParquet:
      return "read_parquet";
    case FileFormat::kDuckdb:
    case FileFormat::kArrow:
      break;
  }
  return "";
}

// The name of what is not compressed differs between the engine's readers.
std::string compression_argument(const FileForm& kind) {
  const bool is_json = kind.format == FileFormat::kJson || kind.format == FileFormat::kNdjson;
  switch (kind.compression) {
    case Compression::kNone:
      return is_json ? "compression = 'uncompressed'" : "compression = 'none'";
    case Compression::kGzip:
      return "compression = 'gzip'";
    case Compression::kZstd:
      return "compression = 'zstd'";
  }
  return "";
}

// By itself the engine makes room for 32 MB, however small the file, and where thousands are counted that
// room is never given back whole. Twice the size holds a small file in one piece, whatever its encoding.
std::string buffer_argument(const FileForm& form, const fs::FileStatus& status) {
  std::uint64_t bytes = form.buffer_bytes;
  if (bytes == 0 && status.bytes <= kSmallFileBytes)
    bytes = std::max(std::bit_ceil(2 * status.bytes), kSmallBufferBytes);
  return bytes == 0 ? "" : fmt::format(", buffer_size = {}", bytes);
}

// What the engine is told of an encoding that it reads itself.
std::string encoding_argument(const std::string& charset, bool is_csv) {
  if (is_csv && charset == "UTF-16LE") return ", encoding = 'utf-16'";
  if (is_csv && charset == "ISO-8859-1") return ", encoding = 'latin-1'";
  return "";
}

// The engine does not see that a file is an array where a byte order mark stands before it.
std::string_view array_argument(std::string_view beginning, const FileForm& kind) {
  if (kind.format != FileFormat::kJson || !beginning.starts_with(kUtf8Mark)) return "";
  const std::size_t first = beginning.find_first_not_of(" \t\r\n", kUtf8Mark.size());
  return first != std::string::npos && beginning[first] == '[' ? ", format = 'array'" : "";
}

bool mixes_line_ends(std::string_view beginning) {
  std::size_t lines = 0;
  std::size_t with_return = 0;
  for (std::size_t at = beginning.find('\n'); at != std::string_view::npos;
       at = beginning.find('\n', at + 1)) {
    ++lines;
    if (at > 0 && beginning[at - 1] == '\r') ++with_return;
  }
  return with_return > 0 && with_return < lines;
}

}  // namespace sluice::query
