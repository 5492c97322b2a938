#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/protocol/model/resource.h"

namespace sluice::contents {

// A folder's entries as one piece of JSON: {"entries":[{"uri":…,"name":…,"mimeType":…,"size":…,
// "lastModified":…}],"next":…,"total":…}. `total` counts also those that are left out. What an entry's `meta`
// has follows its own fields. `next` is the URI of the entries that follow, which `_meta` names as well
// (sluice/next); empty: there are none.
protocol::ResourceContents listing_contents(std::string uri, const std::vector<protocol::Resource>& entries,
                                            std::size_t total, const std::string& next = {});

// How many of the entries fit into `room` bytes of such a listing as a JSON string; at least one.
std::size_t entries_that_fit(const std::vector<protocol::Resource>& entries, std::size_t room);

}  // namespace sluice::contents
