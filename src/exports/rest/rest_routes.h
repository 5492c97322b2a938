#pragma once

#include <memory>
#include <vector>

#include "sluice/exports/routes.h"
#include "sluice/transport/http_route.h"

namespace sluice::exports {

// The routes of the REST interface beneath its path. `gate` is shared with the server and may be null;
// `source` must outlive the routes.
std::vector<transport::HttpRoute> make_rest_routes(const RestOptions& options,
                                                   std::shared_ptr<catalog::Gate> gate,
                                                   const RowSourceSlot& source);

}  // namespace sluice::exports
