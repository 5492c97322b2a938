#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/catalog/generation.h"
#include "sluice/catalog/provider.h"
#include "sluice/catalog/tool_index.h"
#include "sluice/catalog/watch_table.h"
#include "sluice/crypto/signer.h"
#include "sluice/protocol/wire/results.h"

namespace sluice::catalog {

// The kinds of thing that some provider offers.
struct Kinds {
  bool tools = false;
  bool resources = false;
  bool prompts = false;
  bool completions = false;
};

// Everything that all providers offer: merged, ordered, paginated, and who owns what. Any thread.
class Catalog final : private ChangeSink {
 public:
  // Attaches the providers. Fails where a name is offered twice or a definition is not valid.
  static Result<std::unique_ptr<Catalog>> create(std::vector<std::shared_ptr<Provider>> providers,
                                                 crypto::Signer signer);
  static Result<std::unique_ptr<Catalog>> create(std::shared_ptr<Generation> generation,
                                                 crypto::Signer signer);
  ~Catalog() override;

  // Puts these providers in the place of the ones before and tells of it. What is watched goes on being
  // watched. Fails as `create` does, and everything stays as it is. One call at a time.
  Status replace(const std::shared_ptr<Generation>& generation);

  // Changes go to `sink`, which must outlive the catalog or be replaced with null. One at a time.
  void forward_changes(ChangeSink* sink);

  Kinds kinds() const;
  // What the generation tells the model; nullopt: it has nothing of its own to tell.
  std::optional<std::string> instructions() const;

  // Whether all that is offered is known, and waiting until it is; see Provider::settle.
  bool is_settled() const;
  void settle(const std::stop_token& stop) const;

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
  std::shared_ptr<ResourceProvider> find_owner(const ResourceUri& uri) const;  // Null where nobody owns it.

  // Whether somebody owns the URI and can notify of its changes; see ResourceProvider::can_watch. A URI that
  // is watched already can be watched by others too.
  Status can_watch(const ResourceUri& uri);
  // Counted: the owner watches while anybody wants it. False where nobody owns the URI.
  bool watch(const ResourceUri& uri);
  void unwatch(const ResourceUri& uri);

 private:
  // What is offered, as it is at one moment. Replaced whole; calls keep the one they began with.
  struct State {
    std::shared_ptr<Generation> generation;            // Shared with calls, and with whoever made it.
    std::vector<std::shared_ptr<Provider>> providers;  // Each holds the whole generation.
    std::shared_ptr<const ToolIndex> tools;
  };

  explicit Catalog(crypto::Signer signer);

  // Attaches the providers and checks what they offer.
  static Result<std::shared_ptr<const State>> open(const std::shared_ptr<Generation>& generation);
  std::shared_ptr<const State> state() const;
  std::shared_ptr<const State> exchange_state(std::shared_ptr<const State> next);  // Returns the one before.

  void tools_changed() override;
  void prompts_changed() override;
  void resources_changed() override;
  void resource_updated(const std::string& uri) override;
  void forward(const std::function<void(ChangeSink&)>& tell);

  const crypto::Signer signer_;

  mutable Mutex state_mutex_;
  std::shared_ptr<const State> state_ SLUICE_GUARDED_BY(state_mutex_);

  Mutex sink_mutex_;
  ChangeSink* sink_ SLUICE_GUARDED_BY(sink_mutex_) = nullptr;

  WatchTable watched_;
};

}  // namespace sluice::catalog
