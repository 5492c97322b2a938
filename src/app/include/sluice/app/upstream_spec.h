#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/app/authorization_spec.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/name_table.h"
#include "sluice/gateway/tool_node.h"

namespace sluice::app {

// One of `upstreams:`: another MCP server. It has either a command or a URL.
struct UpstreamSpec {
  gateway::NodeConfig node;
  std::string command;
  std::vector<std::string> arguments;
  std::map<std::string, std::string, std::less<>> environment;  // All that the child gets.
  std::string folder;
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string ca_file;
  bool allow_private = true;
  std::optional<AuthorizationSpec> authorization;  // Only with a URL.
  client::Eras eras = client::Eras::kBoth;
  bool pin = false;
};

// `artifacts:`: where what is too large to be shown is kept.
struct ArtifactsConfig {
  std::string path;  // Empty: in memory.
  gateway::ArtifactBounds bounds;
};

// All that other servers are used with.
struct GatewayConfig {
  std::vector<UpstreamSpec> upstreams;
  ArtifactsConfig artifacts;
  std::string pins;    // The folder of pinned definitions,
  std::string tokens;  // and that of tokens. Empty: there is none.
  std::string file;    // The configuration itself, as it was named.
  gateway::NameStyle names = gateway::NameStyle::kDotted;
};

}  // namespace sluice::app
