#include "answer/formats.h"

#include <array>

#include "sluice/base/text.h"

namespace sluice::datasets {

namespace {

struct FormatProperties {
  query::Format format;
  std::string_view name;
  std::string_view mime_type;
  bool is_binary;
};
constexpr std::array kFormats = {
    FormatProperties{query::Format::kJson, "json", "application/json", false},
    FormatProperties{query::Format::kCsv, "csv", "text/csv", false},
    FormatProperties{query::Format::kParquet, "parquet", "application/vnd.apache.parquet", true},
    FormatProperties{query::Format::kArrow, "arrow", "application/vnd.apache.arrow.file", true},
};

const FormatProperties& properties_of(query::Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}
static_assert(kFormats[static_cast<std::size_t>(query::Format::kArrow)].format == query::Format::kArrow,
              "formats stand in their order");

bool is_offered(const DatasetTools& tools, const FormatProperties& one) {
  return one.format != query::Format::kArrow || tools.services().arrow_ipc;
}

}  // namespace

std::string_view name_of(query::Format format) { return properties_of(format).name; }
std::string_view mime_type(query::Format format) { return properties_of(format).mime_type; }
bool is_binary(query::Format format) { return properties_of(format).is_binary; }

std::string format_names(const DatasetTools& tools) {
  std::string out;
  for (const FormatProperties& one : kFormats) {
    if (is_offered(tools, one)) (out += out.empty() ? "" : ", ") += one.name;
  }
  return out;
}

Result<query::Format> parse_format(const DatasetTools& tools, std::string_view name) {
  for (const FormatProperties& one : kFormats) {
    if (one.name == name && is_offered(tools, one)) return one.format;
  }
  return invalid_input("unsupported format: " + excerpt(name))
      .with_code("unsupported_format")
      .with_hint("Formats: " + format_names(tools) + ".");
}

}  // namespace sluice::datasets
