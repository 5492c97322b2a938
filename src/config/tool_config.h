#pragma once

#include "sluice/base/result.h"
#include "sluice/config/config.h"
#include "sluice/config/tools_spec.h"

#include "yaml_map.h"

namespace sluice::config {

// The `tools:` section of a configuration file.
Result<ToolsConfig> read_tools(YamlMap& file);

}  // namespace sluice::config
