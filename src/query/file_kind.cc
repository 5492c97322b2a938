#include <array>
#include <utility>

#include "sluice/base/text.h"
#include "sluice/query/file_dataset.h"

namespace sluice::query {

namespace {

constexpr std::array kEndings = {
    std::pair{std::string_view(".csv"), FileFormat::kCsv},
    std::pair{std::string_view(".tsv"), FileFormat::kTsv},
    std::pair{std::string_view(".json"), FileFormat::kJson},
    std::pair{std::string_view(".geojson"), FileFormat::kJson},
    std::pair{std::string_view(".ndjson"), FileFormat::kNdjson},
    std::pair{std::string_view(".jsonl"), FileFormat::kNdjson},
    std::pair{std::string_view(".parquet"), FileFormat::kParquet},
};
constexpr std::array kCompressions = {
    std::pair{std::string_view(".gz"), Compression::kGzip},
    std::pair{std::string_view(".zst"), Compression::kZstd},
};

// Takes an ending off, whatever its case.
bool strip(std::string_view& path, std::string_view ending) {
  if (path.size() <= ending.size()) return false;
  if (!equal_ignoring_case(path.substr(path.size() - ending.size()), ending)) return false;
  path.remove_suffix(ending.size());
  return true;
}

}  // namespace

std::optional<FileKind> kind_of_file(std::string_view path) {
  FileKind kind;
  for (const auto& [ending, compression] : kCompressions) {
    if (strip(path, ending)) kind.compression = compression;
  }
  for (const auto& [ending, format] : kEndings) {
    if (!strip(path, ending) || path.ends_with('/')) continue;
    // Parquet compresses its own columns, and cannot be read from a stream.
    if (format == FileFormat::kParquet && kind.compression != Compression::kNone) return std::nullopt;
    kind.format = format;
    kind.stem = path;
    return kind;
  }
  return std::nullopt;
}

std::string_view to_string(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
      return "csv";
    case FileFormat::kTsv:
      return "tsv";
    case FileFormat::kJson:
      return "json";
    case FileFormat::kNdjson:
      return "ndjson";
    case FileFormat::kParquet:
      return "parquet";
  }
  return "";
}

}  // namespace sluice::query
