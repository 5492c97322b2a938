#include "sluice/gateway/offer_config.h"

namespace sluice::gateway {

const std::string& ToolFilter::shown_name(const std::string& name) const {
  const auto found = rename.find(name);
  return found == rename.end() ? name : found->second;
}

void ToolFilter::describe_tool(protocol::Tool& tool) const {
  if (const auto found = describe.find(tool.name); found != describe.end()) tool.description = found->second;
}

}  // namespace sluice::gateway
