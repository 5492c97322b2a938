#pragma once

#include <filesystem>
#include <string>

namespace sluice::config {

// A path of a configuration file: relative to the folder that the file is in.
inline std::string path_from(const std::string& file, const std::string& path) {
  return (std::filesystem::path(file).parent_path() / path).string();
}

}  // namespace sluice::config
