#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::hosts {

inline constexpr std::size_t kHostFileBytesMax = std::size_t{16} * 1024 * 1024;

struct HostFile {
  std::string real_path;            // With links resolved, of the file or of the folders that exist.
  std::optional<std::string> text;  // Nothing: there is no file.
};

// Reads a file that is going to be replaced. kForbidden, code `host_file_unsafe`, if it is not a plain file
// of this user, or if others may write to it or to its folder.
Result<HostFile> read_host_file(const std::string& path);

// The same of a file that is known to be beside it. Nothing if there is none.
Result<std::optional<std::string>> read_beside(const std::string& path);

}  // namespace sluice::hosts
