#pragma once

#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/discovery.h"
#include "sluice/gateway/node_config.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// resources_list, resources_read and resources_templates_list, if the upstream has resources or that is not
// known yet.
std::vector<protocol::Tool> generated_tools(const NodeConfig& config, const Discovery& known);

// What these tools read.
struct NodeResources {
  ToolNode& node;
  ArtifactStore& artifacts;
};

Result<protocol::ToolResult> call_generated_tool(const NodeResources& of, std::string_view tool,
                                                 const json::Object& arguments, const CallOptions& options);

}  // namespace sluice::gateway
