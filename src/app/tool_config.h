#pragma once

#include "sluice/app/config.h"
#include "sluice/app/tools_spec.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// The `tools:` section of a configuration file.
Result<ToolsConfig> read_tools(YamlMap& file);

// Whether a configuration has sources of datasets.
bool has_datasets(const Config& config);

// The profile that a configuration asks for, or else its default.
datasets::ToolProfile profile_of(const Config& config);

}  // namespace sluice::app
