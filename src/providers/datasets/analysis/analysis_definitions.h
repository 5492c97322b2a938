#pragma once

#include <vector>

#include "tools/definitions.h"

namespace sluice::datasets::analysis {

// The analysis tools. Their arguments are called after the series of the first collection that has one;
// without such a collection there are none to be listed.
std::vector<ToolDefinition> tool_definitions(const query::Inventory& inventory);

// The function of a tool by its name; null where it is none of these.
ToolFunction tool_function(std::string_view name);

}  // namespace sluice::datasets::analysis
