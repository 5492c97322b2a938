#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/config/authorization_spec.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/name_table.h"
#include "sluice/gateway/tool_node.h"

namespace sluice::config {

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
  std::string proxy;                               // Of requests to the URL. Empty: none.
  std::optional<AuthorizationSpec> authorization;  // Only with a URL.
  client::Eras eras = client::Eras::kBoth;
  bool pin = false;
  std::vector<std::string> reads;  // Globs: its tools that callers without the write scope may call.
};

// What an operator should know about an entry of `upstreams_file`.
struct UpstreamNote {
  bool is_left_out = false;  // Else only a part of the entry is ignored.
  std::string text;
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
  std::chrono::milliseconds connect_wait{3'000};  // How long the first lists wait for servers to connect.
  std::vector<UpstreamNote> notes;
};

}  // namespace sluice::config
