#pragma once

#include <string>
#include <vector>

#include "sluice/protocol/model/tool.h"
#include "sluice/query/registry.h"

#include "tools.h"

namespace sluice::datasets {

struct ToolDefinition {
  protocol::Tool tool;
  ToolFunction function = nullptr;
};

// All tools, by name. Their arguments name the dimensions of the collections there are.
std::vector<ToolDefinition> tool_definitions(const query::Inventory& inventory);

}  // namespace sluice::datasets
