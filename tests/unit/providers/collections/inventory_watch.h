#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "sluice/query/registry.h"

namespace sluice::collections {

inline constexpr std::chrono::seconds kPatience{20};  // For a loaded machine.

inline std::vector<std::string> names_of(const query::Registry& registry) {
  std::vector<std::string> names;
  const query::Inventory inventory = registry.inventory();
  for (const query::DatasetPtr& dataset : inventory.datasets()) names.push_back(dataset->name());
  return names;
}

// Waits for changes of a registry.
class InventoryWatch {
 public:
  explicit InventoryWatch(query::Registry& registry) {
    registry.listen([state = state_](const query::InventoryChange& change) {
      const std::lock_guard lock(state->mutex);
      state->list_changes += change.list_changed ? 1 : 0;
      for (const query::DatasetPtr& dataset : change.updated) state->updated.insert(dataset->name());
      state->happened.notify_all();
    });
  }

  // Whether `condition` comes true; looked at after every change.
  bool wait_for(const std::function<bool()>& condition) {
    std::unique_lock lock(state_->mutex);
    return state_->happened.wait_for(lock, kPatience, condition);
  }
  bool wait_for_update(const std::string& name) {
    return wait_for([&] { return state_->updated.contains(name); });
  }
  int list_changes() {
    const std::lock_guard lock(state_->mutex);
    return state_->list_changes;
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable happened;
    std::set<std::string> updated;
    int list_changes = 0;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();  // Also held by the listener, which may stay.
};

}  // namespace sluice::collections
