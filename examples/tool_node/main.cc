// Reads the resources of an MCP server through a ToolNode: tool_node URL | PROGRAM [ARGUMENT]...
#include <cstdio>
#include <string>

#include "sluice/gateway/tool_node.h"

using namespace sluice;

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: tool_node URL | PROGRAM [ARGUMENT]...\n"), 2;
  const std::string first = argv[1];
  client::Target target = client::Endpoint{.url = first};
  if (!first.starts_with("http"))
    target = client::Command{.program = first, .arguments = {argv + 2, argv + argc}};

  gateway::NodeConfig config;
  config.name = "example";
  const auto node = gateway::ToolNode::create(config, gateway::connector_to(target), {});
  if (!node) return std::fprintf(stderr, "%s\n", node.error().message.c_str()), 1;
  if (const Status status = (*node)->connect(); !status.ok())
    return std::fprintf(stderr, "%s\n", status.error().message.c_str()), 1;

  for (const protocol::Tool& tool : (*node)->discovery()->tools) std::printf("tool %s\n", tool.name.c_str());
  for (const gateway::ResourceInfo& resource : (*node)->list_resources()) {
    const json::Object result = (*node)->read_resource(resource.uri, {});
    std::printf("resource %s: %s\n", resource.uri.c_str(), json::to_text(result).c_str());
  }
  return 0;
}
