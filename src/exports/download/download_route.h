#pragma once

#include <memory>

#include "sluice/exports/routes.h"
#include "sluice/protocol/exchange.h"

#include "download/conversions.h"

namespace sluice::exports {

// GET and HEAD of /download/{handle}.{format}: all rows of a result as a file, for its owner or whoever has a
// signed link. Any thread.
class DownloadRoute {
 public:
  // `source` must outlive it.
  DownloadRoute(const RouteOptions& options, const RowSourceSlot& source)
      : gate_(options.gate), links_(options.links), options_(options.downloads), source_(source) {}

  // Whether the request brings a link, which is checked later.
  static bool has_link(const protocol::HttpHead& head);
  // May block.
  void receive(const std::shared_ptr<protocol::Exchange>& exchange);

 private:
  protocol::Final answer(const protocol::Exchange& exchange);
  // The file of the request, or the range of it that is asked for. `final` has the headers, the tag first.
  protocol::Final send(const protocol::Exchange& exchange, Conversion::Request request,
                       protocol::Final final);

  const std::shared_ptr<catalog::Gate> gate_;         // Shared with the server.
  const std::shared_ptr<const DownloadLinks> links_;  // Shared with those that make links.
  const DownloadOptions options_;
  const RowSourceSlot& source_;
  Conversions conversions_;
};

}  // namespace sluice::exports
