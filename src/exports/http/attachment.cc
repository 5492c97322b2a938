#include "http/attachment.h"

#include <algorithm>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/base/uri.h"

namespace sluice::exports {

namespace {

constexpr std::size_t kFileNameBytesMax = 120;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == ' ';
}

// Without what file systems take for more than a name.
std::string file_name(std::string_view name) {
  std::string out = excerpt(name, kFileNameBytesMax);
  for (char& c : out) {
    if (std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos) c = '_';
  }
  const std::size_t begin = std::min(out.find_first_not_of(". "), out.size());
  out.erase(0, begin);
  return out.empty() ? "result" : out;
}

}  // namespace

std::string_view media_type_of(FileFormat format) {
  switch (format) {
    case FileFormat::kCsv:
      return "text/csv; charset=utf-8";
    case FileFormat::kJson:
      return "application/json";
    case FileFormat::kNdjson:
      return "application/x-ndjson";
    case FileFormat::kParquet:
      return "application/vnd.apache.parquet";
    case FileFormat::kArrow:
      return "application/vnd.apache.arrow.file";
  }
  return "application/octet-stream";
}

std::string attachment(std::string_view name, std::string_view ending) {
  const std::string whole = fmt::format("{}.{}", file_name(name), ending);
  std::string ascii = whole;
  std::replace_if(
      ascii.begin(), ascii.end(), [](char c) { return !is_plain(c); }, '_');
  return fmt::format("attachment; filename=\"{}\"; filename*=UTF-8''{}", ascii, percent_encode(whole));
}

}  // namespace sluice::exports
