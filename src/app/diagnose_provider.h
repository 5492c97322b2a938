#pragma once

#include <memory>
#include <vector>

#include "sluice/app/config.h"
#include "sluice/catalog/provider.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/records/store.h"

#include "wire_data.h"

namespace sluice::app {

// The tool `diagnose`: what this server is, what it serves, and what of it works. `data` and `records` may be
// null, and outlive it. `upstreams` are shared with the gateway.
std::shared_ptr<catalog::Provider> make_diagnose_provider(
    const Config& config, const DataWiring* data, records::Store* records,
    std::vector<std::shared_ptr<gateway::ToolNode>> upstreams);

}  // namespace sluice::app
