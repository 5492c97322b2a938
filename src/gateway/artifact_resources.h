#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/contents/contents.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/namespaced_uri.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/protocol/model/resource.h"

#include "artifact_location.h"

namespace sluice::gateway {

// The last part of a URI's path, which is what a file would be called. May be empty.
std::string filename_of(std::string_view uri);

protocol::Resource resource_of(const ArtifactRef& artifact);

// A part of an artifact; see ArtifactLocation. To anybody but its owner it does not exist. Gives at most
// `bytes_max` bytes; `_meta` has the URI that reads on (sluice/next).
Result<protocol::ReadResult> read_artifact(ArtifactStore& artifacts, const Principal& owner,
                                           const ResourceUri& uri,
                                           std::size_t bytes_max = contents::kContentBytesMax);

// A read of an upstream's resource as contents. All of them together have at most `bytes_max` bytes, and at
// most kContentBytesMax: what is longer is cut, and `_meta` has the URI of an artifact that goes on there
// (sluice/next). URIs at which the upstream itself goes on get the namespace of `space`.
Result<protocol::ReadResult> contents_of(const KeptRead& read, ArtifactStore& artifacts,
                                         const Principal& owner, Monotonic now, const UriSpace& space,
                                         std::size_t bytes_max = contents::kContentBytesMax);

}  // namespace sluice::gateway
