#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sluice::apis {

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

// The query of a URL as forms write it, decoded. Nothing where an escape is broken, or there are too many.
std::optional<QueryPairs> parse_query_pairs(std::string_view query);

}  // namespace sluice::apis
