#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sluice/catalog/tool_rules.h"
#include "sluice/datasets/datasets_provider.h"
#include "sluice/datasets/defined_tool.h"

namespace sluice::config {

// The `tools:` section: which tools are offered.
struct ToolsConfig {
  std::optional<datasets::ToolProfile> profile;  // Nullopt: the default of the configuration.
  catalog::ToolRules rules;
  std::vector<datasets::DefinedTool> defined;  // `define`: tools of the operator's own.
};

// "lean", "full" or "all"; nullopt for any other text.
std::optional<datasets::ToolProfile> parse_profile(std::string_view text);

}  // namespace sluice::config
