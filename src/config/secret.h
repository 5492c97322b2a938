#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

#include "yaml_map.h"

namespace sluice::config {

// Secrets are named, not written: `env` of the mapping says which variable holds it.
Result<std::string> read_secret(YamlMap& map, const Environment& environment);

}  // namespace sluice::config
