#pragma once

#include <memory>
#include <vector>

#include "sluice/config/config.h"
#include "sluice/engine/engine.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/json/value.h"
#include "sluice/records/store.h"
#include "sluice/wiring/wire_data.h"

namespace sluice::wiring {

using UpstreamNodes = std::vector<std::shared_ptr<gateway::ToolNode>>;  // Shared by generations.

// What the tool that diagnoses says of each source. `data` and `records` may be null.
json::Array describe_sources(const config::Config& config, const DataWiring* data, records::Store* records,
                             const UpstreamNodes& upstreams, const engine::RunLimits& limits);

}  // namespace sluice::wiring
