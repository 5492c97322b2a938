#pragma once

#include <string>

#include "sluice/app/environment.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// Secrets are named, not written: `env` of the mapping says which variable holds it.
Result<std::string> read_secret(YamlMap& map, const Environment& environment);

}  // namespace sluice::app
