#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/client/client.h"
#include "sluice/gateway/call_options.h"
#include "sluice/gateway/discovery.h"
#include "sluice/gateway/node_config.h"
#include "sluice/gateway/resource_cache.h"
#include "sluice/gateway/subscription_manager.h"

#include "change_listeners.h"

namespace sluice::gateway {

// The resources of one upstream: cached reads, and subscriptions to those that somebody watches or that are
// cached. Any thread; it talks to the upstream only in `read`, through the function that it is given, and in
// `maintain`.
class UpstreamResources {
 public:
  // `on_work` is called when `maintain` has something to do. `listeners` must outlive it.
  UpstreamResources(const NodeConfig& config, const NodeDependencies& dependencies,
                    ChangeListeners& listeners, std::function<void()> on_work);

  ResourceCache& cache() { return cache_; }
  ResourceSubscriptionManager& subscriptions() { return subscriptions_; }

  // What the upstream can be subscribed to, as `discovery` says after the read, is followed while it is
  // cached.
  Result<ResourceCache::Read> read(const std::string& uri, const ResourceCache::ReadFn& fetch,
                                   const std::function<std::shared_ptr<const Discovery>()>& discovery,
                                   const CallOptions& options);

  // Counted; return immediately. Followed as far as the upstream can notify of changes.
  void watch(const std::string& uri);
  void unwatch(const std::string& uri);

  // The upstream says that it has changed.
  void updated(const std::string& uri);
  // There is a new connection: refused subscriptions are tried again.
  void reconnected();
  // Notifies of updates, and subscribes and unsubscribes. One thread at a time.
  void maintain(client::Client& client, const client::CallOptions& call);

 private:
  struct WatchState {
    std::size_t watchers = 0;
    bool is_cached = false;       // Followed so that its cache entry is dropped when it changes.
    std::uint64_t last_read = 0;  // Grows with every read; see follow_cached.
    std::size_t number = 0;       // Of the subscription; 0: there is none yet.
    bool is_refused = false;
  };

  void follow_cached(const std::string& uri);
  void notify_updates();
  void reconcile(client::Client& client, const client::CallOptions& call);

  const std::string name_;
  const bool is_caching_;
  ChangeListeners& listeners_;
  const std::function<void()> on_work_;
  ResourceCache cache_;
  ResourceSubscriptionManager subscriptions_;
  Mutex mutex_;
  std::set<std::string> updated_ SLUICE_GUARDED_BY(mutex_);
  std::map<std::string, WatchState> wanted_ SLUICE_GUARDED_BY(mutex_);
  std::size_t cached_followed_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::uint64_t reads_ SLUICE_GUARDED_BY(mutex_) = 0;
  bool wanted_changed_ SLUICE_GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::gateway
