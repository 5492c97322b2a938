#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/name_table.h"
#include "sluice/gateway/tool_node.h"

namespace sluice::gateway {

struct GatewayOptions {
  NameStyle names = NameStyle::kDotted;
  std::chrono::milliseconds patience{3'000};  // How long the first lists wait for servers to connect.
  const Clock* clock = &system_clock();       // Must outlive the provider.
};

// What other MCP servers offer, as this server's own: tools and prompts as `{namespace}.{name}`, resources
// and templates under namespaced URIs, artifacts as artifact://{id}. Nodes may be shared with the provider of
// another generation. Fails where two have the same namespace.
Result<std::shared_ptr<catalog::Provider>> make_gateway_provider(std::vector<std::shared_ptr<ToolNode>> nodes,
                                                                 std::shared_ptr<ArtifactStore> artifacts,
                                                                 GatewayOptions options = {});

}  // namespace sluice::gateway
