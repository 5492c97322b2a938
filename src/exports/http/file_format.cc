#include "sluice/exports/file_format.h"

namespace sluice::exports {

std::string_view name_of(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
      return "csv";
    case FileFormat::kJson:
      return "json";
    case FileFormat::kNdjson:
      return "ndjson";
    case FileFormat::kParquet:
      return "parquet";
    case FileFormat::kArrow:
      return "arrow";
  }
  return "";
}

std::optional<FileFormat> parse_format(std::string_view name) {
  for (const FileFormat format : kFileFormats) {
    if (name_of(format) == name) return format;
  }
  return std::nullopt;
}

}  // namespace sluice::exports
