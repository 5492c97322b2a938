#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/protocol/model/tool.h"

namespace sluice::catalog {

// Whether a name matches a pattern, in which `*` stands for any text and `?` for one byte.
bool matches_glob(std::string_view pattern, std::string_view name);

// Which of its providers' tools a server offers. A tool that is not offered is not listed, and a call of it
// fails as a call of a tool that does not exist.
struct ToolRules {
  std::vector<std::string> allow;  // Patterns of names. Empty: every name.
  std::vector<std::string> deny;   // Patterns of names. They overrule `allow`.
  bool read_only = false;          // Only tools whose annotations say that they change nothing.

  bool allow_name(std::string_view name) const;
  bool allow_tool(const protocol::Tool& tool) const;
};

}  // namespace sluice::catalog
