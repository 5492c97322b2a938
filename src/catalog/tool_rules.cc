#include "sluice/catalog/tool_rules.h"

#include <algorithm>
#include <cstddef>

namespace sluice::catalog {

// After a mismatch the last `*` takes one more byte, so the time is at most the product of both lengths.
bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_pattern = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_end = 0;  // In `name`: the end of what the last `*` stands for.
  while (at < name.size()) {
    const char expected = in_pattern < pattern.size() ? pattern[in_pattern] : '\0';
    if (expected == '*') {
      star = in_pattern++;
      star_end = at;
    } else if (in_pattern < pattern.size() && (expected == '?' || expected == name[at])) {
      ++in_pattern;
      ++at;
    } else if (star != std::string_view::npos) {
      in_pattern = star + 1;
      at = ++star_end;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in_pattern) == std::string_view::npos;
}

bool ToolRules::allow_name(std::string_view name) const {
  const auto matches = [&](const std::string& pattern) { return matches_glob(pattern, name); };
  if (std::any_of(deny.begin(), deny.end(), matches)) return false;
  return allow.empty() || std::any_of(allow.begin(), allow.end(), matches);
}

bool ToolRules::allow_tool(const protocol::Tool& tool) const {
  if (read_only && !(tool.annotations && tool.annotations->read_only.value_or(false))) return false;
  return allow_name(tool.name);
}

}  // namespace sluice::catalog
