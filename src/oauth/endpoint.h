#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fetch/url.h"

namespace sluice::oauth {

enum class Loopback : std::uint8_t { kRefused, kAllowed };

bool is_loopback(const fetch::Url& url);  // As far as its text tells.

// A URL that a challenge or metadata names. It must be https; http only on loopback. Loopback is for
// resources that are there themselves: a server elsewhere must not make us ask our own machine. `what` names
// it in the error: oauth_endpoint_refused.
Result<fetch::Url> parse_endpoint(std::string_view text, std::string_view what, Loopback loopback);

// Equal but for one slash at the end of the path.
bool is_same_place(const fetch::Url& a, const fetch::Url& b);

// "/mcp" and "/mcp/" are "/mcp"; "/" is "".
std::string_view path_without_slash(const fetch::Url& url);

}  // namespace sluice::oauth
