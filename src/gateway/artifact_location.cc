#include "artifact_location.h"

#include <array>

#include "sluice/base/limits.h"
#include "sluice/base/uri.h"
#include "sluice/gateway/artifact_store.h"

namespace sluice::gateway {
namespace {

constexpr std::string_view kThen = "then";
constexpr std::array<std::string_view, 3> kParameters{"offset", "length", kThen};
constexpr std::size_t kOffsetBytes = 30;  // "offset=" and a number.

}  // namespace

std::optional<ArtifactLocation> ArtifactLocation::parse(std::string_view uri) {
  if (!uri.starts_with(kArtifactScheme)) return std::nullopt;
  uri.remove_prefix(kArtifactScheme.size());
  const std::size_t mark = uri.find('?');
  ArtifactLocation out{.id = std::string(uri.substr(0, mark)), .range = {}, .then = {}};
  if (!is_artifact_id(out.id)) return std::nullopt;
  if (mark == std::string_view::npos) return out;
  const std::optional<contents::UriQuery> query =
      contents::UriQuery::parse(uri.substr(mark + 1), kParameters);
  const std::optional<contents::Range> range = query ? query->range() : std::nullopt;
  if (!range) return std::nullopt;
  out.range = *range;
  out.then = query->text(kThen);
  return out;
}

std::string ArtifactLocation::range_uri() const {
  std::string out = std::string(kArtifactScheme) + id + "?";
  if (then.empty()) return out;
  const std::string parameter = std::string(kThen) + "=" + percent_encode(then) + "&";
  // A URI that is too long to be read would lead nowhere at all.
  if (out.size() + parameter.size() + kOffsetBytes > kUriBytesMax) return out;
  return out + parameter;
}

std::string next_in(const json::Object& meta) {
  for (const std::string_view key : {kNextKey, kPlainNextKey}) {
    const json::Value* next = meta.find(key);
    if (next != nullptr && next->if_string() != nullptr) return *next->if_string();
  }
  return {};
}

}  // namespace sluice::gateway
