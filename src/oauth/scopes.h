#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::oauth {

// In the order in which they came, each once. At most kOAuthScopesMax.
using Scopes = std::vector<std::string>;

// "a b" as in the parameter `scope`. What no scope may contain (RFC 6749, section 3.3) is left out.
Scopes parse_scopes(std::string_view text);
std::string to_text(const Scopes& scopes);

void add_scopes(Scopes& scopes, const Scopes& more);
bool contains_all(const Scopes& scopes, const Scopes& wanted);

}  // namespace sluice::oauth
