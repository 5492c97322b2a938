#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/config/config.h"
#include "sluice/gateway/tool_node.h"
#include "sluice/json/value.h"
#include "sluice/oauth/token_store.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// Connections to other servers, which last while their configuration stays the same. One thread at a time.
class Upstreams {
 public:
  // The nodes of a configuration: those that are there already, and new ones, which begin to connect.
  Result<std::vector<std::shared_ptr<gateway::ToolNode>>> open(const config::GatewayConfig& config);
  Result<std::shared_ptr<gateway::ArtifactStore>> artifacts(const config::ArtifactsConfig& config);
  // Whether somebody has agreed meanwhile to what an upstream needs; those that wait for it connect.
  void look_for_tokens();

 private:
  struct Open {
    std::string fingerprint;
    std::weak_ptr<gateway::ToolNode> node;      // Shared by the generations that use it.
    std::shared_ptr<oauth::TokenStore> tokens;  // Null: it needs none. Shared with its authorizer.
    std::string tokens_version;
  };

  std::vector<Open> open_;
  std::string artifacts_path_;
  std::shared_ptr<gateway::ArtifactStore> artifacts_;  // Shared with the nodes.
};

// How an upstream is connected to on behalf of a person at a command line.
Result<gateway::ToolNode::Connector> connector_for(const config::GatewayConfig& config,
                                                   const config::UpstreamSpec& spec);

// Whether each can be connected to, or why not. All are tried at once, for a few seconds.
std::vector<CheckLine> check_upstreams(const config::Config& config);

// What the tool that diagnoses says of them.
json::Array diagnose_upstreams(const std::vector<std::shared_ptr<gateway::ToolNode>>& nodes);

}  // namespace sluice::wiring
