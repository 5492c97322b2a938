#include "rest/accept.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sluice/base/text.h"

namespace sluice::exports {

namespace {

constexpr std::array<std::pair<std::string_view, FileFormat>, 10> kMediaTypes = {{
    {"*/*", FileFormat::kCsv},
    {"text/*", FileFormat::kCsv},
    {"text/csv", FileFormat::kCsv},
    {"application/*", FileFormat::kJson},
    {"application/json", FileFormat::kJson},
    {"application/x-ndjson", FileFormat::kNdjson},
    {"application/ndjson", FileFormat::kNdjson},
    {"application/jsonl", FileFormat::kNdjson},
    {"application/vnd.apache.arrow.stream", FileFormat::kArrow},
    {"application/vnd.apache.parquet", FileFormat::kParquet},
}};

// "text/csv;q=0.5" in its parts. A quality that is no number counts as 1.
struct MediaRange {
  std::string type;
  int quality = 1000;
};
MediaRange read_media_range(std::string_view text) {
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  MediaRange out{.type = to_lower_ascii(trim_spaces(text.substr(0, semicolon)))};
  std::string_view rest = text.substr(semicolon);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view parameter = trim_spaces(rest.substr(0, end));
    rest.remove_prefix(end);
    if (!equal_ignoring_case(parameter.substr(0, 2), "q=")) continue;
    double quality = 1;
    const std::string_view number = parameter.substr(2);
    const auto parsed = std::from_chars(number.data(), number.data() + number.size(), quality);
    if (parsed.ec == std::errc()) out.quality = static_cast<int>(std::clamp(quality, 0.0, 1.0) * 1000);
  }
  return out;
}

}  // namespace

std::optional<FileFormat> accepted_format(std::string_view accept) {
  if (trim_spaces(accept).empty()) return FileFormat::kCsv;
  std::optional<FileFormat> best;
  int best_quality = 0;
  while (!accept.empty()) {
    const std::size_t end = std::min(accept.find(','), accept.size());
    const MediaRange range = read_media_range(accept.substr(0, end));
    accept.remove_prefix(std::min(end + 1, accept.size()));
    const auto known = std::find_if(kMediaTypes.begin(), kMediaTypes.end(),
                                    [&](const auto& entry) { return entry.first == range.type; });
    if (known == kMediaTypes.end() || range.quality <= best_quality) continue;
    best = known->second;
    best_quality = range.quality;
  }
  return best;
}

}  // namespace sluice::exports
