#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/protocol/model/resource.h"

#include "git_uri.h"

namespace sluice::git {

// What lists show of a repository, in order of URI. `prefix` is that of its URIs.
std::vector<protocol::Resource> resources_of(std::string_view prefix, std::string_view name, bool is_bare);

// What one may ask, in order.
std::vector<protocol::ResourceTemplate> templates_of(Naming naming);

}  // namespace sluice::git
