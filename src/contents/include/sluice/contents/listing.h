#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/protocol/model/resource.h"

namespace sluice::contents {

// A folder's entries as one piece of JSON: {"entries":[{"uri":…,"name":…,"mimeType":…,"size":…,
// "lastModified":…}],"total":…}. `total` counts also those that are left out. What an entry's `meta` has
// follows its own fields.
protocol::ResourceContents listing_contents(std::string uri, const std::vector<protocol::Resource>& entries,
                                            std::size_t total);

}  // namespace sluice::contents
