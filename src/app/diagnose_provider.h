#pragma once

#include <memory>
#include <vector>

#include "sluice/app/config.h"
#include "sluice/catalog/provider.h"
#include "sluice/gateway/tool_node.h"

#include "data_stack.h"

namespace sluice::app {

// The tool `diagnose`: what this server is, what it serves, and what of it works. `data` may be null, and
// outlives it. `upstreams` are shared with the gateway.
std::shared_ptr<catalog::Provider> make_diagnose_provider(
    const Config& config, const DataStack* data, std::vector<std::shared_ptr<gateway::ToolNode>> upstreams);

}  // namespace sluice::app
