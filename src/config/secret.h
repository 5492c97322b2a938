#pragma once

#include <string>
#include <vector>

#include <yaml-cpp/yaml.h>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

#include "yaml_map.h"

namespace sluice::config {

// Where secrets of a configuration are looked for.
struct SecretPlace {
  const std::string& file;  // The configuration; paths are relative to its folder.
  const Environment& environment;
};

// Secrets are named, not written: `env` of the mapping says which variable holds it, or `file` in which file
// it is. Line ends at the end of a file do not belong to the secret. A file that its group or others may
// write is refused.
Result<std::string> read_secret(YamlMap& map, const SecretPlace& place);
// Adds the paths in `file` of the secrets beneath a node, as they are written.
void add_secret_files(const YAML::Node& node, std::vector<std::string>& paths);
// Of a variable only.
Result<std::string> read_secret(YamlMap& map, const Environment& environment);

}  // namespace sluice::config
