#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// A folder of the configuration with the name that URIs have for it.
struct NamedFolder {
  std::string name;  // As configured, else the folder's own. Each is another.
  std::string path;
};

// A list of `{ path, name }` at `key` of the configuration that is called `file`.
Result<std::vector<NamedFolder>> read_named_folders(YamlMap& config, const std::string& key,
                                                    const std::string& file);

}  // namespace sluice::app
