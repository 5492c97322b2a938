#include "sluice/gateway/offer_config.h"

#include <algorithm>
#include <cstddef>

namespace sluice::gateway {

bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry_at = 0;
  while (at < name.size()) {
    if (in_pattern < pattern.size() && pattern[in_pattern] == '*') {
      star = in_pattern++;
      retry_at = at;
    } else if (in_pattern < pattern.size() && pattern[in_pattern] == name[at]) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++retry_at;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool ToolFilter::allows(const protocol::Tool& tool) const {
  const auto matches = [&](const std::string& pattern) { return matches_pattern(pattern, tool.name); };
  if (std::any_of(deny.begin(), deny.end(), matches)) return false;
  if (!allow.empty() && std::none_of(allow.begin(), allow.end(), matches)) return false;
  return !read_only || (tool.annotations && tool.annotations->read_only.value_or(false));
}

const std::string& ToolFilter::shown_name(const std::string& name) const {
  const auto found = rename.find(name);
  return found == rename.end() ? name : found->second;
}

void ToolFilter::describe_tool(protocol::Tool& tool) const {
  if (const auto found = describe.find(tool.name); found != describe.end()) tool.description = found->second;
}

}  // namespace sluice::gateway
