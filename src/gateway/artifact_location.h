#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/contents/uri_query.h"
#include "sluice/json/value.h"

namespace sluice::gateway {

inline constexpr std::string_view kArtifactScheme = "artifact://";
inline constexpr std::string_view kNextKey = "sluice/next";  // In `_meta`: the URI that reads on.
inline constexpr std::string_view kPlainNextKey = "next";    // The same, as other servers write it.

// Which part of an artifact is meant: artifact://{id}?offset=&length=&then=. An upstream may give only a part
// of a resource in one read. If that part becomes an artifact, `then` is the URI of the next part, so that
// whoever reads the artifact to its end is led there.
struct ArtifactLocation {
  std::string id;
  contents::Range range;
  std::string then;  // Empty: the resource ends with the artifact.

  // Returns nullopt for what is not a URI of an artifact, or has other parameters.
  static std::optional<ArtifactLocation> parse(std::string_view uri);
  // The URI without its range, up to where "offset=…" belongs.
  std::string range_uri() const;
};

// The URI at which an upstream says that a content goes on; empty if it does not say so.
std::string next_in(const json::Object& meta);

}  // namespace sluice::gateway
