#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/catalog/provider.h"

namespace sluice::gateway {

// Who is notified of the changes of one upstream. Any thread.
class ChangeListeners {
 public:
  // Weak: a listener may be destroyed at any time.
  void add(std::weak_ptr<catalog::ChangeSink> listener);
  void notify(const std::function<void(catalog::ChangeSink&)>& what) const;

 private:
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<catalog::ChangeSink>> listeners_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::gateway
