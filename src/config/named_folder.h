#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::config {

// A folder of the configuration with the name that URIs have for it.
struct NamedFolder {
  std::string name;  // As configured, else the folder's own. Each is another.
  std::string path;
  std::optional<std::chrono::milliseconds> ttl;  // For how long clients may keep what they have read.
  std::optional<std::uint64_t> binary_bytes;     // What one read gives of a file that is no text; of `files`.
};

// A list of `{ path, name, ttl }` at `key` of the configuration that is called `file`.
Result<std::vector<NamedFolder>> read_named_folders(YamlMap& config, const std::string& key,
                                                    const std::string& file);

}  // namespace sluice::config
