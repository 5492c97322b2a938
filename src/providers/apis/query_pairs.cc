#include "query_pairs.h"

#include <algorithm>

#include "sluice/base/result.h"
#include "sluice/base/uri.h"

namespace sluice::apis {

namespace {

constexpr std::size_t kPairsMax = 64;

std::optional<std::string> decode(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  Result<std::string> decoded = percent_decode(spaced);
  if (!decoded.ok()) return std::nullopt;
  return *std::move(decoded);
}

}  // namespace

std::optional<QueryPairs> parse_query_pairs(std::string_view query) {
  QueryPairs out;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(part.size() + 1, query.size()));
    if (part.empty()) continue;
    const std::size_t equals = std::min(part.find('='), part.size());
    std::optional<std::string> key = decode(part.substr(0, equals));
    std::optional<std::string> value = decode(equals == part.size() ? "" : part.substr(equals + 1));
    if (!key || !value || out.size() == kPairsMax) return std::nullopt;
    out.emplace_back(*std::move(key), *std::move(value));
  }
  return out;
}

}  // namespace sluice::apis
