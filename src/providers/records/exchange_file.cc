#include "exchange_file.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/json/object_reader.h"

namespace sluice::records_provider {

namespace {

struct Known {
  std::string_view name;
  FileFormat format;
};
constexpr std::array kFormats = {Known{"csv", FileFormat::kCsv},      Known{"tsv", FileFormat::kTsv},
                                 Known{"json", FileFormat::kJson},    Known{"ndjson", FileFormat::kNdjson},
                                 Known{"jsonl", FileFormat::kNdjson}, Known{"parquet", FileFormat::kParquet}};

std::optional<FileFormat> format_of(std::string_view name) {
  const std::string lower = to_lower_ascii(name);
  for (const Known& known : kFormats) {
    if (known.name == lower) return known.format;
  }
  return std::nullopt;
}

bool is_path(std::string_view path) {
  if (path.empty() || path.size() > kPathBytesMax || !is_valid_utf8(path)) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view name = path.substr(0, slash);
    const bool is_name = !name.empty() && !name.starts_with('.') && name.size() <= kFileNameBytesMax &&
                         name.find('\0') == std::string_view::npos;
    if (!is_name) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string_view to_string(FileFormat format) {
  for (const Known& known : kFormats) {
    if (known.format == format) return known.name;
  }
  return "";
}

Result<ExchangeFile> exchange_file(const json::Object& arguments) {
  const json::ObjectReader in(arguments, "");
  ExchangeFile out;
  SLUICE_TRY(out.path, in.required_string("file"));
  SLUICE_TRY(const std::optional<std::string> named, in.optional_string("format"));
  if (!is_path(out.path)) {
    return invalid_input("not a path in the folder for imports and exports: " + excerpt(out.path))
        .with_code("invalid_path")
        .with_hint("A path is relative, such as january/tasks.csv; names do not begin with a dot.");
  }
  const std::size_t dot = out.path.rfind('.');
  const std::string ending = dot == std::string::npos ? "" : out.path.substr(dot + 1);
  const std::optional<FileFormat> format = format_of(named.value_or(ending));
  if (!format) {
    return invalid_input("not a format of files: " + excerpt(named.value_or(ending)))
        .with_code("unsupported_format")
        .with_hint("csv, tsv, json, ndjson or parquet, as the ending of the name or as `format`.");
  }
  out.format = *format;
  return out;
}

}  // namespace sluice::records_provider
