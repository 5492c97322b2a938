#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sluice/client/client.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

enum class NodeState : std::uint8_t { kConnecting, kReady, kDown };

// What an upstream offers, as it was last seen. Names and URIs are its own; texts about them hold nothing
// that cannot be seen.
struct Discovery {
  NodeState state = NodeState::kConnecting;
  std::string problem;    // Why it is down.
  bool is_known = false;  // It was ready once: the rest is what it said then.
  client::ServerInfo server;
  bool resources_supported = false;
  std::vector<protocol::Tool> tools;
  std::vector<protocol::Prompt> prompts;
  std::vector<protocol::Resource> resources;
  std::vector<protocol::ResourceTemplate> templates;
  std::map<std::string, std::string, std::less<>> refused;  // Tools that are not what they were, and how.
};

// Makes definitions fit to be shown: texts without invisible characters and within bounds, schemas that
// compile (others are replaced by one that takes anything), no icons that are large.
std::vector<protocol::Tool> clean(std::vector<protocol::Tool> tools);
std::vector<protocol::Prompt> clean(std::vector<protocol::Prompt> prompts);
std::vector<protocol::Resource> clean(std::vector<protocol::Resource> resources);
std::vector<protocol::ResourceTemplate> clean(std::vector<protocol::ResourceTemplate> templates);

}  // namespace sluice::gateway
