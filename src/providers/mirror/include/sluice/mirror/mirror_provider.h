#pragma once

#include <memory>
#include <vector>

#include "sluice/catalog/provider.h"

namespace sluice::mirror {

// The tools `list_resources` and `read_resource`: what the providers offer as resources, for hosts that show
// none. It shares the providers with the catalog.
std::shared_ptr<catalog::Provider> make_mirror_provider(
    std::vector<std::shared_ptr<catalog::Provider>> providers);

}  // namespace sluice::mirror
