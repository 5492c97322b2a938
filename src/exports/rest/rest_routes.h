#pragma once

#include <vector>

#include "sluice/exports/routes.h"
#include "sluice/transport/http_route.h"

namespace sluice::exports {

// The routes of the REST interface beneath its path. `source` must outlive them.
std::vector<transport::HttpRoute> make_rest_routes(const RestOptions& options, const RowSourceSlot& source);

}  // namespace sluice::exports
