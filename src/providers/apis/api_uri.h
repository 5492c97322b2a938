#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/uri.h"

namespace sluice::apis {

// The parts of `api://{api}/{endpoint}/{values}?{query}`.
struct ApiUri {
  std::string api;
  std::string endpoint;
  std::vector<std::string> values;  // Decoded.
  std::optional<std::string> query;
};

// Nothing where the URI is not of that form.
std::optional<ApiUri> parse_uri(const ResourceUri& uri);

}  // namespace sluice::apis
