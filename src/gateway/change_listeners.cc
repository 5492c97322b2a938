#include "change_listeners.h"

#include <utility>

namespace sluice::gateway {

void ChangeListeners::add(std::weak_ptr<catalog::ChangeSink> listener) {
  const MutexLock lock(mutex_);
  std::erase_if(listeners_, [](const auto& known) { return known.expired(); });
  listeners_.push_back(std::move(listener));
}

void ChangeListeners::notify(const std::function<void(catalog::ChangeSink&)>& what) const {
  std::vector<std::weak_ptr<catalog::ChangeSink>> listeners;
  {
    const MutexLock lock(mutex_);
    listeners = listeners_;
  }
  for (const auto& weak : listeners) {
    if (const std::shared_ptr<catalog::ChangeSink> listener = weak.lock()) what(*listener);
  }
}

}  // namespace sluice::gateway
