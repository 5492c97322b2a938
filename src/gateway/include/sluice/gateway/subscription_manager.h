#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"

namespace sluice::gateway {

// Which resources of one upstream somebody wants to hear of. Counted: the upstream is told of the first who
// subscribes and of the last who leaves. Any thread; callbacks run on the thread that tells of the update.
class ResourceSubscriptionManager {
 public:
  using UpstreamFn = std::function<Status(const std::string& uri)>;
  using Callback = std::function<void(const std::string& uri)>;

  explicit ResourceSubscriptionManager(std::string name_space) : name_space_(std::move(name_space)) {}

  // Each call is undone by one `unsubscribe` with the same callback's number. Where the upstream refuses,
  // nothing is changed. kLimitReached: too many.
  Result<std::size_t> subscribe(const std::string& uri, const UpstreamFn& subscribe_fn, Callback callback);
  // Of all who subscribed to it, the latest leaves; or the one with that number.
  Status unsubscribe(const std::string& uri, const UpstreamFn& unsubscribe_fn, std::size_t number = 0);

  bool is_subscribed(std::string_view uri) const;
  std::vector<std::string> subscribed_uris() const;
  // Tells everyone who subscribed to it. Returns how many.
  std::size_t handle_update(const std::string& uri) const;
  const std::string& name_space() const { return name_space_; }

 private:
  // Shared with whoever tells of an update while somebody leaves.
  using CallbackPtr = std::shared_ptr<const Callback>;

  const std::string name_space_;
  mutable Mutex mutex_;
  std::map<std::string, std::map<std::size_t, CallbackPtr>, std::less<>> callbacks_ SLUICE_GUARDED_BY(mutex_);
  std::size_t last_number_ SLUICE_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice::gateway
