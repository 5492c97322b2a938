#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/cache/cache.h"
#include "sluice/catalog/provider.h"
#include "sluice/ckan/portal_uri.h"

#include "answer/text_room.h"
#include "portal/portal_api.h"

namespace sluice::ckan {

// The seven templates and what they lead to. Any thread.
class Resources {
 public:
  // `api` must outlive it.
  explicit Resources(PortalApi& api) : api_(api), rendered_(api.clock()) {}

  static std::vector<protocol::ResourceTemplate> templates(const catalog::ListQuery& query);
  Result<protocol::ReadResult> read(const ResourceUri& uri, const catalog::Context& context);
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        const catalog::Context& context);

 private:
  struct Rendered {
    std::string text;
    std::string next;      // The URI of the next page of a list, or of the next part; empty if there is none.
    bool is_part = false;  // Of a text that is JSON as a whole.
    std::string hint;      // Empty if nothing was cut.
    Monotonic expires;
  };
  Result<cache::Loaded<Rendered>> render(const PortalUri& uri, const TextRoom& room, const Caller& caller);
  Result<protocol::Completion> complete_name(const Portal& portal, std::string_view type,
                                             const std::string& typed, const Caller& caller);

  PortalApi& api_;
  cache::Cache<Rendered> rendered_;  // By URI and room, because most that is read is read again.
};

}  // namespace sluice::ckan
