#pragma once

#include <map>
#include <string>

#include "sluice/catalog/tool_rules.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// Which tools of an upstream are offered, and how. Names are the upstream's own.
struct ToolFilter {
  catalog::ToolRules rules;
  std::map<std::string, std::string, std::less<>> rename;
  std::map<std::string, std::string, std::less<>> describe;  // Descriptions in place of the upstream's.

  bool filters() const { return !rules.allow.empty() || !rules.deny.empty() || rules.read_only; }
  // The name and the description that callers see.
  const std::string& shown_name(const std::string& name) const;
  void describe_tool(protocol::Tool& tool) const;
};

// What of an upstream is offered.
struct OfferConfig {
  ToolFilter tools;
  bool offers_tools = true;
  bool offers_prompts = true;
  bool offers_resources = true;       // Resources and templates, and their notifications.
  bool offers_resource_tools = true;  // resources_list, resources_read, resources_templates_list.
};

}  // namespace sluice::gateway
