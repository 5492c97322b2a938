#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::gateway {

inline constexpr std::string_view kArtifactScheme = "artifact://";

protocol::Resource resource_of(const ArtifactRef& artifact);

// artifact://{id}, also with ?offset=&length=. To anybody but its owner it does not exist.
Result<protocol::ReadResult> read_artifact(ArtifactStore& artifacts, const Principal& owner,
                                           const ResourceUri& uri);

// A read of an upstream's resource as contents: what is long is cut, and goes on in its artifact.
Result<protocol::ReadResult> contents_of(const KeptRead& read, ArtifactStore& artifacts,
                                         const Principal& owner, Monotonic now);

}  // namespace sluice::gateway
