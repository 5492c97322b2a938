#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/client/client.h"
#include "sluice/gateway/artifact_store.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/config.h"
#include "sluice/gateway/discovery.h"
#include "sluice/gateway/offer_config.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/gateway/resource_info.h"
#include "sluice/gateway/subscription_manager.h"
#include "sluice/gateway/tool_pins.h"
#include "sluice/json/value.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/prompt.h"
#include "sluice/protocol/model/tool.h"

namespace sluice::gateway {

class CallSlots;
class AskRelay;

// How one upstream is used.
struct NodeConfig {
  std::string name;  // The namespace of what it offers; see namespace_of.
  ArtifactExtractionConfig artifact_extraction;
  ResourceCacheConfig cache;
  std::chrono::milliseconds timeout{30'000};
  std::size_t max_concurrency = 10;  // Calls under way. As many again, four times, may wait.
  std::size_t attempts = 3;          // Of what only reads, where the upstream is busy or its line breaks.
  bool relay_questions = true;       // What the upstream asks goes to the caller.
  OfferConfig offer;                 // What of it is offered.
};

// One MCP server: what it offers, and the way to it. Any thread.
//
// It is given a client that connects by itself, or is made to follow the server with `start`: then a thread
// connects, looks what there is, looks again when the server says so, and reconnects when it is gone.
class ToolNode {
 public:
  using Connector = std::function<Result<std::unique_ptr<client::Client>>(client::ClientOptions options)>;
  struct Dependencies {
    std::shared_ptr<ArtifactStore> artifacts;  // Shared with the other upstreams.
    std::shared_ptr<ToolPins> pins;            // Null: definitions may change. Shared likewise.
    const Clock* clock = &system_clock();      // Must outlive the node.
  };

  static Result<std::shared_ptr<ToolNode>> create(NodeConfig config, const Connector& connector,
                                                  Dependencies dependencies);
  ~ToolNode();  // Closes the connection. No call may be running.
  ToolNode(const ToolNode&) = delete;
  ToolNode& operator=(const ToolNode&) = delete;

  const std::string& name_space() const { return config_.name; }
  const NodeConfig& config() const { return config_; }

  // Connects and looks what there is; a list that fails counts as empty.
  Status connect(const CallOptions& options = {});
  // Does so from now on, by a thread of its own.
  void start();
  // Where it is down and waits before it connects again, it need not wait: what was missing may be there now.
  void retry();
  // Whether the first attempt to connect is over, well or badly, and waiting until it is. False: it is not,
  // and the time is.
  bool is_attempted() const;
  bool wait_first_attempt(Monotonic until, const std::stop_token& stop = {}) const;

  std::shared_ptr<const Discovery> discovery() const;  // What is known now. Never null.
  bool resources_supported() const { return discovery()->resources_supported; }

  // As the server lists them. Empty where it has none, or none can be had.
  std::vector<ResourceInfo> list_resources() const;
  std::vector<ResourceTemplateInfo> list_resource_templates() const;
  // {"text"}, {"artifact"}, {"items"} or {"error"}.
  json::Object read_resource(const std::string& uri, const CallOptions& options);
  // The same, as contents.
  Result<ResourceCache::Read> read(const std::string& uri, const CallOptions& options);

  // Links to resources have become stubs, binary and large content artifacts.
  Result<protocol::ToolResult> call_tool(const std::string& tool, const json::Object& arguments,
                                         const CallOptions& options);
  Result<protocol::PromptResult> get_prompt(const std::string& name,
                                            const protocol::PromptArguments& arguments,
                                            const CallOptions& options);
  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        const CallOptions& options);

  // resources_list, resources_read and resources_templates_list, where the server has resources or it is
  // not known yet.
  std::vector<protocol::Tool> generated_tools() const;
  Result<protocol::ToolResult> call_generated(std::string_view tool, const json::Object& arguments,
                                              const CallOptions& options);

  ResourceCache& cache() { return cache_; }
  ResourceSubscriptionManager& subscriptions() { return subscriptions_; }

  // Told of changes; `uri`s are the upstream's own. Weak: who listens may go at any time.
  void add_listener(std::weak_ptr<catalog::ChangeSink> listener);
  // Counted; returns at once. Followed as far as the upstream can tell of changes.
  void watch(const std::string& uri);
  void unwatch(const std::string& uri);

  // For a report: state, server, counts, and what is wrong.
  json::Object describe() const;

 private:
  enum class Access : std::uint8_t { kReads, kActs };
  struct WatchState {
    std::size_t watchers = 0;
    bool is_cached = false;       // Followed so that its cache entry is dropped when it changes.
    std::uint64_t last_read = 0;  // Grows with every read; see follow_cached.
    std::size_t number = 0;       // Of the subscription; 0: there is none yet.
    bool is_refused = false;
  };

  ToolNode(NodeConfig config, Dependencies dependencies);

  Result<protocol::ToolResult> call_read(const json::Object& arguments, const CallOptions& options);
  client::ClientOptions client_options();
  client::CallOptions client_call(const CallOptions& options) const;
  Result<protocol::Answer> relay_question(const CallOptions& options,
                                          const protocol::Question& question) const;
  Status available() const;
  Status wait_until_known(const CallOptions& options) const;
  Error failure(const Error& cause) const;
  template <typename T, typename Call>
  Result<T> run(Access access, const CallOptions& options, const Call& call);
  template <typename T, typename Call>
  Result<T> run_asking(const std::string& key, const CallOptions& options, const Call& call);
  bool needs_relay(const CallOptions& options) const;
  Result<UpstreamRead> fetch(const std::string& uri, const CallOptions& options);
  void note_failure(const Error& error);

  // The thread's.
  void supervise(const std::stop_token& stop);
  void look_after(const std::stop_token& stop);
  Status discover(const CallOptions& options, std::uint8_t lists);
  void publish(std::shared_ptr<const Discovery> next);
  void set_down(const Error& error);
  void note_attempt();
  void flush_updates();
  void reconcile_subscriptions(const CallOptions& options);
  void tell(const std::function<void(catalog::ChangeSink&)>& what);
  void resource_updated(const std::string& uri);
  void lists_changed(std::uint8_t lists);
  void follow_cached(const std::string& uri);

  const NodeConfig config_;
  const Dependencies dependencies_;
  ResourceCache cache_;
  ResourceSubscriptionManager subscriptions_;
  const std::unique_ptr<CallSlots> slots_;
  std::unique_ptr<AskRelay> relay_;

  mutable Mutex mutex_;
  mutable CondVar wake_;
  std::shared_ptr<const Discovery> discovery_ SLUICE_GUARDED_BY(mutex_);  // Shared with who was given it.
  bool attempted_ SLUICE_GUARDED_BY(mutex_) = false;
  bool retry_ SLUICE_GUARDED_BY(mutex_) = false;    // See retry().
  bool suspect_ SLUICE_GUARDED_BY(mutex_) = false;  // A call failed in a way that a dead connection explains.
  std::uint8_t changed_lists_ SLUICE_GUARDED_BY(mutex_) = 0;  // Which are to be read again,
  std::uint8_t unheard_lists_ SLUICE_GUARDED_BY(mutex_) =
      0;  // and which have not been heard of: the server was too slow.
  std::set<std::string> updated_ SLUICE_GUARDED_BY(mutex_);
  std::map<std::string, WatchState> wanted_ SLUICE_GUARDED_BY(mutex_);
  std::size_t cached_followed_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::uint64_t reads_ SLUICE_GUARDED_BY(mutex_) = 0;
  bool wanted_changed_ SLUICE_GUARDED_BY(mutex_) = false;
  std::vector<std::weak_ptr<catalog::ChangeSink>> listeners_ SLUICE_GUARDED_BY(mutex_);

  Mutex discover_mutex_;                    // One discovery at a time.
  std::unique_ptr<client::Client> client_;  // After what its callbacks use.
  BackgroundThread thread_;                 // Last: it ends before the rest goes.
};

// Connects to a command, a URL or a server within this process.
ToolNode::Connector connector_to(client::Target target, client::Eras eras = client::Eras::kBoth);

}  // namespace sluice::gateway
