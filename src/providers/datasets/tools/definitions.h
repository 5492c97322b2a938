#pragma once

#include <string>
#include <vector>

#include "sluice/protocol/model/tool.h"
#include "sluice/query/registry.h"

#include "tools/tools.h"

namespace sluice::datasets {

struct ToolDefinition {
  protocol::Tool tool;
  ToolFunction function = nullptr;
};

// What a tool is defined by. It only reads unless its annotations are changed.
struct ToolWords {
  std::string name;
  std::string title;
  std::string description;
  json::Object properties;
  std::vector<std::string> required;
  json::Array output_required;
  ToolFunction function = nullptr;
};
ToolDefinition define(ToolWords words);

// All tools, by name. Their arguments name the dimensions of the collections there are, and the limits that
// hold where a call gives none.
std::vector<ToolDefinition> tool_definitions(const query::Inventory& inventory, const Limits& limits);

}  // namespace sluice::datasets
