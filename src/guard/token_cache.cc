#include "sluice/guard/token_cache.h"

#include <algorithm>
#include <utility>

namespace sluice::guard {

std::optional<Admitted> TokenCache::find(const std::string& digest, Monotonic now) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(digest);
  // One whose lease has ended stays until it is replaced or dropped.
  if (found == entries_.end() || !found->second.lease->is_good(now)) return std::nullopt;
  return found->second;
}

void TokenCache::put(const std::string& digest, Admitted admitted) {
  const MutexLock lock(mutex_);
  const bool is_new = entries_.insert_or_assign(digest, std::move(admitted)).second;
  if (!is_new) return;
  order_.push_back(digest);
  if (order_.size() <= kTokensCachedMax) return;
  entries_.erase(order_.front());
  order_.pop_front();
}

}  // namespace sluice::guard
