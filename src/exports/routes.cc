#include "sluice/exports/routes.h"

#include <utility>

#include "download/download_route.h"
#include "rest/rest_routes.h"

namespace sluice::exports {

namespace {

transport::HttpRoute download_route(const RouteOptions& options, const RowSourceSlot& source) {
  // Shared by the functions of the route alone.
  auto route = std::make_shared<DownloadRoute>(options, source);
  return {
      .path = std::string(kDownloadPath),
      .methods = {"GET"},
      .receiver = [route](const std::shared_ptr<protocol::Exchange>& exchange) { route->receive(exchange); },
      .is_open = DownloadRoute::has_link};
}

}  // namespace

std::vector<transport::HttpRoute> make_routes(RouteOptions options, const RowSourceSlot& source) {
  std::vector<transport::HttpRoute> out;
  if (options.links) out.push_back(download_route(options, source));
  if (options.rest) {
    for (transport::HttpRoute& route : make_rest_routes(*options.rest, options.gate, source))
      out.push_back(std::move(route));
  }
  return out;
}

}  // namespace sluice::exports
