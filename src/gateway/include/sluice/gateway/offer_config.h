#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

// Which tools of an upstream are offered, and how. Names are the upstream's own; in `allow` and `deny` a '*'
// stands for any text.
struct ToolFilter {
  std::vector<std::string> allow;  // Empty: all.
  std::vector<std::string> deny;   // Wins over `allow`.
  bool read_only = false;          // Only tools whose annotations say that they change nothing.
  std::map<std::string, std::string, std::less<>> rename;
  std::map<std::string, std::string, std::less<>> describe;  // Descriptions in place of the upstream's.

  bool allows(const protocol::Tool& tool) const;
  bool filters() const { return !allow.empty() || !deny.empty() || read_only; }
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

// Whether `name` is what `pattern` describes; a '*' stands for any text.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace sluice::gateway
