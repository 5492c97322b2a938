#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/datasets/defined_tool.h"

#include "yaml_map.h"

namespace sluice::config {

// `tools.define`: the tools that the operator makes of SQL. Whether the SQL is valid is checked later, by the
// engine.
Result<std::vector<datasets::DefinedTool>> read_defined_tools(YamlMap& tools);

}  // namespace sluice::config
