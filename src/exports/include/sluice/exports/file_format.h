#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::exports {

// What rows leave the server as.
enum class FileFormat : std::uint8_t { kCsv, kJson, kNdjson, kParquet, kArrow };

inline constexpr std::array kFileFormats = {FileFormat::kCsv, FileFormat::kJson, FileFormat::kNdjson,
                                            FileFormat::kParquet, FileFormat::kArrow};

std::string_view name_of(FileFormat format);  // "csv", which is also the ending of a file.
std::optional<FileFormat> parse_format(std::string_view name);

}  // namespace sluice::exports
