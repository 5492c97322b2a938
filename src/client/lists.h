#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/resource.h"
#include "sluice/protocol/model/tool.h"

#include "session.h"

namespace sluice::client {

// The lists of a server, all pages, kept for as long as the server allows. Any thread.
class Lists {
 public:
  explicit Lists(Session& session);

  Result<std::vector<protocol::Tool>> tools(const Call& call);
  Result<std::vector<protocol::Resource>> resources(const Call& call);
  Result<std::vector<protocol::ResourceTemplate>> templates(const Call& call);
  Result<std::vector<protocol::Prompt>> prompts(const Call& call);

  // Asks for the tools again, because their schemas may have changed.
  Status refresh_tools(const Call& call);
  void forget(ListKind kind);

 private:
  template <typename Item>
  using Cache = cache::Cache<std::vector<Item>>;

  Session& session_;
  Cache<protocol::Tool> tools_;
  Cache<protocol::Resource> resources_;
  Cache<protocol::ResourceTemplate> templates_;
  Cache<protocol::Prompt> prompts_;
};

}  // namespace sluice::client
