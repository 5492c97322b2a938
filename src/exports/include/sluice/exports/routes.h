#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/catalog/gate.h"
#include "sluice/exports/download_links.h"
#include "sluice/exports/source.h"
#include "sluice/transport/http_route.h"

namespace sluice::exports {

struct DownloadOptions {
  std::uint64_t bytes_max = 4'000'000'000;  // Of one file.
};

struct RestOptions {
  std::string path = "/api/v1";
  std::uint64_t rows_max = 1'000'000;       // Of one response,
  std::uint64_t bytes_max = 1'000'000'000;  // and its bytes.
  bool basic = false;                       // A token may come as the password of the scheme Basic.
  std::string public_url;                   // Named by the OpenAPI document; may be empty.
};

struct RouteOptions {
  std::shared_ptr<catalog::Gate> gate;         // Shared with the server. Null: everything is allowed.
  std::shared_ptr<const DownloadLinks> links;  // Shared with those that make links. Null: no downloads.
  DownloadOptions downloads;
  std::optional<RestOptions> rest;  // Absent: there is no REST interface.
};

// /download/{handle}.{format}, and the REST interface. `source` must outlive the routes.
std::vector<transport::HttpRoute> make_routes(RouteOptions options, const RowSourceSlot& source);

}  // namespace sluice::exports
