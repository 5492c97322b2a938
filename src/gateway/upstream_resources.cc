#include "upstream_resources.h"

#include <utility>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"

namespace sluice::gateway {
namespace {

constexpr std::size_t kUpdatesWaitingMax = 4'096;
constexpr std::size_t kCachedFollowedMax = 256;

bool can_subscribe(const client::ServerInfo& server) {
  const json::Value* resources = server.capabilities.find("resources");
  const json::Value* can = resources != nullptr ? resources->find("subscribe") : nullptr;
  return can != nullptr && can->if_bool() != nullptr && *can->if_bool();
}

}  // namespace

UpstreamResources::UpstreamResources(const NodeConfig& config, const NodeDependencies& dependencies,
                                     ChangeListeners& listeners, std::function<void()> on_work)
    : name_(config.name),
      is_caching_(config.cache.enabled),
      listeners_(listeners),
      on_work_(std::move(on_work)),
      cache_(dependencies.artifacts, config.name, config.cache,
             config.artifact_extraction.resources.cache_reads_to_artifacts, *dependencies.clock),
      subscriptions_(config.name) {}

Result<ResourceCache::Read> UpstreamResources::read(
    const std::string& uri, const ResourceCache::ReadFn& fetch,
    const std::function<std::shared_ptr<const Discovery>()>& discovery, const CallOptions& options) {
  SLUICE_TRY(ResourceCache::Read read, cache_.get_or_fetch(uri, fetch, options));
  if (is_caching_ && can_subscribe(discovery()->server)) follow_cached(uri);
  return read;
}

void UpstreamResources::watch(const std::string& uri) {
  {
    const MutexLock lock(mutex_);
    if (wanted_.size() >= kSubscriptionUrisMax && wanted_.find(uri) == wanted_.end()) return;
    ++wanted_[uri].watchers;
    wanted_changed_ = true;
  }
  on_work_();
}

void UpstreamResources::unwatch(const std::string& uri) {
  {
    const MutexLock lock(mutex_);
    const auto at = wanted_.find(uri);
    if (at == wanted_.end() || at->second.watchers == 0) return;
    --at->second.watchers;
    wanted_changed_ = true;
  }
  on_work_();
}

void UpstreamResources::updated(const std::string& uri) {
  cache_.invalidate(uri);
  {
    const MutexLock lock(mutex_);
    if (updated_.size() >= kUpdatesWaitingMax) return;
    updated_.insert(uri);
  }
  on_work_();
}

void UpstreamResources::reconnected() {
  {
    const MutexLock lock(mutex_);
    wanted_changed_ = true;
    for (auto& [uri, wanted] : wanted_) wanted.is_refused = false;
  }
  on_work_();
}

void UpstreamResources::maintain(client::Client& client, const client::CallOptions& call) {
  notify_updates();
  reconcile(client, call);
}

// Subscribes to a resource that is cached, so that its entry is dropped when it changes. Of more than
// kCachedFollowedMax resources those read last are followed; the entry of the one that has to make room goes
// with its subscription, because nobody would hear that it is out of date.
void UpstreamResources::follow_cached(const std::string& uri) {
  std::string dropped;
  {
    const MutexLock lock(mutex_);
    WatchState& wanted = wanted_[uri];
    wanted.last_read = ++reads_;
    if (wanted.is_cached) return;
    wanted.is_cached = true;
    if (++cached_followed_ > kCachedFollowedMax) {
      auto oldest = wanted_.end();
      for (auto at = wanted_.begin(); at != wanted_.end(); ++at) {
        if (!at->second.is_cached) continue;
        if (oldest == wanted_.end() || at->second.last_read < oldest->second.last_read) oldest = at;
      }
      oldest->second.is_cached = false;
      --cached_followed_;
      dropped = oldest->first;
    }
    wanted_changed_ = true;
  }
  on_work_();
  if (!dropped.empty()) cache_.invalidate(dropped);
}

void UpstreamResources::notify_updates() {
  std::set<std::string> updated;
  {
    const MutexLock lock(mutex_);
    updated.swap(updated_);
  }
  for (const std::string& uri : updated) subscriptions_.handle_update(uri);
}

void UpstreamResources::reconcile(client::Client& client, const client::CallOptions& call) {
  std::vector<std::string> begin;
  std::vector<std::pair<std::string, std::size_t>> end;
  {
    const MutexLock lock(mutex_);
    if (!std::exchange(wanted_changed_, false)) return;
    for (auto at = wanted_.begin(); at != wanted_.end();) {
      WatchState& wanted = at->second;
      const bool is_wanted = wanted.watchers > 0 || wanted.is_cached;
      if (is_wanted && wanted.number == 0 && !wanted.is_refused) begin.push_back(at->first);
      if (!is_wanted && wanted.number != 0) end.emplace_back(at->first, wanted.number);
      at = is_wanted ? std::next(at) : wanted_.erase(at);
    }
  }
  for (const auto& [uri, number] : end) {
    const Status left = subscriptions_.unsubscribe(
        uri, [&](const std::string& gone) { return client.unsubscribe(gone, call); }, number);
    if (!left.ok()) log::debug("gateway.not_unsubscribed", {{"upstream", name_}});
  }
  bool is_unwanted_again = false;
  for (const std::string& uri : begin) {
    const Result<std::size_t> number = subscriptions_.subscribe(
        uri, [&](const std::string& wanted) { return client.subscribe(wanted, call); },
        [this](const std::string& changed) {
          listeners_.notify([&](catalog::ChangeSink& sink) { sink.resource_updated(changed); });
        });
    if (!number.ok())
      log::debug("gateway.not_subscribed", {{"upstream", name_}, {"reason", number.error().message}});
    const MutexLock lock(mutex_);
    WatchState& wanted = wanted_[uri];
    wanted.number = number.ok() ? *number : 0;
    wanted.is_refused = !number.ok();
    if (wanted.watchers == 0 && !wanted.is_cached) wanted_changed_ = is_unwanted_again = true;
  }
  if (is_unwanted_again) on_work_();
}

}  // namespace sluice::gateway
