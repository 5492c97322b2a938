#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/catalog/tool_index.h"
#include "sluice/crypto/signer.h"
#include "sluice/protocol/wire/results.h"

namespace sluice::catalog {

// Everything that all providers offer: merged, ordered, paginated, and who owns what. Any thread.
class Catalog final : private ChangeSink {
 public:
  // Attaches the providers. Fails where a name is offered twice or a definition is not valid.
  static Result<std::unique_ptr<Catalog>> create(std::vector<std::shared_ptr<Provider>> providers,
                                                 crypto::Signer signer);
  ~Catalog() override;

  // Changes go to `sink`, which must outlive the catalog or be replaced with null. One at a time.
  void forward_changes(ChangeSink* sink);

  Kinds kinds() const;

  Result<protocol::ListPage<protocol::Tool>> tools(const std::optional<std::string>& cursor,
                                                   const Principal& principal) const;
  Result<protocol::ListPage<protocol::Resource>> resources(const std::optional<std::string>& cursor,
                                                           const Principal& principal) const;
  Result<protocol::ListPage<protocol::ResourceTemplate>> templates(const std::optional<std::string>& cursor,
                                                                   const Principal& principal) const;
  Result<protocol::ListPage<protocol::Prompt>> prompts(const std::optional<std::string>& cursor,
                                                       const Principal& principal) const;

  Result<std::shared_ptr<const ToolEntry>> find_tool(
      std::string_view name) const;  // The error names the nearest tool.
  Result<std::shared_ptr<Provider>> find_prompt(std::string_view name, const Principal& principal) const;
  Result<std::shared_ptr<Provider>> find_template(std::string_view uri_template,
                                                  const Principal& principal) const;
  std::shared_ptr<Provider> find_owner(const ResourceUri& uri) const;  // Null where nobody owns it.

  // Counted: the owner watches while anybody wants it. False where nobody owns the URI.
  bool watch(const ResourceUri& uri);
  void unwatch(const ResourceUri& uri);

 private:
  Catalog(std::vector<std::shared_ptr<Provider>> providers, crypto::Signer signer);

  void tools_changed() override;
  void prompts_changed() override;
  void resources_changed() override;
  void resource_updated(const std::string& uri) override;
  void forward(const std::function<void(ChangeSink&)>& tell);
  std::shared_ptr<const ToolIndex> tool_index() const;

  const crypto::Signer signer_;

  mutable std::mutex tools_mutex_;
  std::shared_ptr<const ToolIndex>
      tools_;  // Replaced whole when tools change; calls keep the one they began with.

  std::mutex sink_mutex_;
  ChangeSink* sink_ = nullptr;

  std::mutex watch_mutex_;
  std::map<std::string, std::size_t> watched_;

  const std::vector<std::shared_ptr<Provider>> providers_;  // Last: they tell of changes until they go.
};

}  // namespace sluice::catalog
