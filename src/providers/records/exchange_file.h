#pragma once

#include <cstdint>
#include <string>

#include "sluice/base/result.h"
#include "sluice/json/value.h"

namespace sluice::records_provider {

enum class FileFormat : std::uint8_t { kCsv, kTsv, kJson, kNdjson, kParquet };
std::string_view to_string(FileFormat format);

// A file of the folder for imports and exports, as a call names it.
struct ExchangeFile {
  std::string path;  // Relative to the folder, without empty, hidden and `..` parts.
  FileFormat format = FileFormat::kCsv;
};

// `file` and `format` of a call; without `format` the ending of the name decides. code `invalid_path`,
// `unsupported_format`.
Result<ExchangeFile> exchange_file(const json::Object& arguments);

}  // namespace sluice::records_provider
