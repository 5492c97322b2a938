#pragma once

#include <string>
#include <string_view>

#include "sluice/fs/file.h"
#include "sluice/query/file_dataset.h"

namespace sluice::query {

// What the engine's readers are told of a file, as the text behind its name.

std::string reader_function_of(FileFormat format);
std::string compression_argument(const FileForm& kind);
std::string buffer_argument(const FileForm& form, const fs::FileStatus& status);
std::string encoding_argument(const std::string& charset, bool is_csv);
std::string_view array_argument(std::string_view beginning, const FileForm& kind);

// Whether some lines end with a carriage return and others without: the engine takes that for a mistake.
bool mixes_line_ends(std::string_view beginning);

}  // namespace sluice::query
