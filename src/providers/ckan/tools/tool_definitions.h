#pragma once

#include <string_view>
#include <vector>

#include "sluice/protocol/model/tool.h"

#include "tools/tools.h"

namespace sluice::ckan {

struct ToolDefinition {
  protocol::Tool tool;
  ToolFunction function = nullptr;
};

// All tools, by name.
const std::vector<ToolDefinition>& tool_definitions();
const ToolDefinition* find_tool(std::string_view name);  // Null where there is none.

}  // namespace sluice::ckan
