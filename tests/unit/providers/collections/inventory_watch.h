#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "sluice/query/registry.h"

namespace sluice::collections {

inline constexpr std::chrono::seconds kPatience{20};  // For a loaded machine.

inline std::vector<std::string> names_of(const query::Registry& registry) {
  std::vector<std::string> names;
  for (const query::DatasetPtr& dataset : registry.inventory()->datasets()) names.push_back(dataset->name());
  return names;
}

// Waits for changes of a registry. Must outlive its changes.
class InventoryWatch {
 public:
  explicit InventoryWatch(query::Registry& registry) {
    registry.listen([this](const query::InventoryChange& change) {
      const std::lock_guard lock(mutex_);
      list_changes_ += change.list_changed ? 1 : 0;
      for (const query::DatasetPtr& dataset : change.updated) updated_.insert(dataset->name());
      happened_.notify_all();
    });
  }

  // Whether `condition` comes true; looked at after every change.
  bool wait_for(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return happened_.wait_for(lock, kPatience, condition);
  }
  bool wait_for_update(const std::string& name) {
    return wait_for([&] { return updated_.contains(name); });
  }
  int list_changes() {
    const std::lock_guard lock(mutex_);
    return list_changes_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable happened_;
  std::set<std::string> updated_;
  int list_changes_ = 0;
};

}  // namespace sluice::collections
