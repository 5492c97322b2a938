#include "sluice/gateway/subscription_manager.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::gateway {

Result<std::size_t> ResourceSubscriptionManager::subscribe(const std::string& uri,
                                                           const UpstreamFn& subscribe_fn,
                                                           Callback callback) {
  std::size_t number = 0;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (callbacks_.size() >= kSubscriptionUrisMax && callbacks_.find(uri) == callbacks_.end())
      return limit_reached("subscriptions of one upstream", kSubscriptionUrisMax);
    number = ++last_number_;
    auto& known = callbacks_[uri];
    is_first = known.empty();
    known.emplace(number, std::make_shared<const Callback>(std::move(callback)));
  }
  if (!is_first) return number;
  // Without the lock: the upstream may tell of an update before it answers.
  Status told = subscribe_fn(uri);
  if (told.ok()) return number;
  const MutexLock lock(mutex_);
  const auto at = callbacks_.find(uri);
  if (at != callbacks_.end() && at->second.erase(number) > 0 && at->second.empty()) callbacks_.erase(at);
  return std::move(told).error();
}

Status ResourceSubscriptionManager::unsubscribe(const std::string& uri, const UpstreamFn& unsubscribe_fn,
                                                std::size_t number) {
  {
    const MutexLock lock(mutex_);
    const auto at = callbacks_.find(uri);
    if (at == callbacks_.end())
      return not_found(fmt::format("not subscribed: {}", excerpt(uri))).with_code("not_subscribed");
    const auto leaving = number == 0 ? std::prev(at->second.end()) : at->second.find(number);
    if (leaving == at->second.end())
      return not_found(fmt::format("not subscribed: {}", excerpt(uri))).with_code("not_subscribed");
    at->second.erase(leaving);
    if (!at->second.empty()) return {};
    callbacks_.erase(at);
  }
  return unsubscribe_fn(uri);
}

bool ResourceSubscriptionManager::is_subscribed(std::string_view uri) const {
  const MutexLock lock(mutex_);
  return callbacks_.find(uri) != callbacks_.end();
}

std::vector<std::string> ResourceSubscriptionManager::subscribed_uris() const {
  const MutexLock lock(mutex_);
  std::vector<std::string> out;
  out.reserve(callbacks_.size());
  for (const auto& [uri, callbacks] : callbacks_) out.push_back(uri);
  return out;
}

std::size_t ResourceSubscriptionManager::handle_update(const std::string& uri) const {
  std::vector<CallbackPtr> told;
  {
    const MutexLock lock(mutex_);
    const auto at = callbacks_.find(uri);
    if (at == callbacks_.end()) return 0;
    for (const auto& [number, callback] : at->second) told.push_back(callback);
  }
  for (const CallbackPtr& callback : told) (*callback)(uri);
  return told.size();
}

}  // namespace sluice::gateway
