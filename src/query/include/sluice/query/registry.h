#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// All datasets at one moment. Immutable; copies share what they hold.
class Inventory {
 public:
  Inventory() : Inventory({}, {}) {}
  Inventory(std::vector<std::shared_ptr<const Collection>> collections, std::vector<DatasetPtr> datasets,
            std::vector<std::string> notes = {});

  // Only of an inventory that has a name: a loop over those of a temporary one would outlive it.
  const std::vector<std::shared_ptr<const Collection>>& collections() const& { return lists_->collections; }
  const std::vector<std::shared_ptr<const Collection>>& collections() const&& = delete;
  const std::vector<DatasetPtr>& datasets() const& { return lists_->datasets; }  // By name, byte by byte.
  const std::vector<DatasetPtr>& datasets() const&& = delete;

  // What whoever looks for a dataset should know, e.g. which files are left out.
  const std::vector<std::string>& notes() const& { return lists_->notes; }
  const std::vector<std::string>& notes() const&& = delete;

  std::size_t size() const { return lists_->datasets.size(); }
  DatasetPtr find(std::string_view name) const;  // Null where there is none.
  // By the values of a collection's dimensions, in their order.
  DatasetPtr find(const Collection& collection, const std::vector<std::string>& dimensions) const;

  bool is_same_as(const Inventory& other) const { return lists_ == other.lists_; }

 private:
  struct Lists {
    std::vector<std::shared_ptr<const Collection>> collections;
    std::vector<DatasetPtr> datasets;
    std::vector<std::string> notes;
    std::map<std::string, DatasetPtr, std::less<>> by_dimensions;
  };
  std::shared_ptr<const Lists> lists_;
};

// What changed between two inventories.
struct InventoryChange {
  bool list_changed = false;        // A dataset came or went.
  std::vector<DatasetPtr> updated;  // There before and after, with other data.
};

// The datasets of the whole program. Sources put theirs in; tools look them up. Any thread.
class Registry {
 public:
  using Listener = std::function<void(const InventoryChange&)>;

  Inventory inventory() const;
  // Puts the datasets and the notes of one collection in the place of those it had. Names should be unique in
  // the program: of two datasets with one name the inventory has the one that is named after its collection.
  void replace(const std::shared_ptr<const Collection>& collection, std::vector<DatasetPtr> datasets,
               std::vector<std::string> notes = {});
  // Returns when there is another inventory than `seen`, or after `most`.
  void wait_past(const Inventory& seen, std::chrono::milliseconds most) const;
  // Called after every change, on the thread that made it, one at a time.
  // Returns what ends it.
  std::uint64_t listen(Listener listener);
  // Waits for a call that is under way: nothing is told once this returns. Not from within a listener.
  void unlisten(std::uint64_t id);

 private:
  Mutex change_mutex_;  // Held while listeners run, so that they hear of changes in their order.
  std::uint64_t listened_ SLUICE_GUARDED_BY(change_mutex_) = 0;
  std::map<std::uint64_t, Listener> listeners_
      SLUICE_GUARDED_BY(change_mutex_);  // In the order in which they came.
  std::vector<std::shared_ptr<const Collection>> collections_ SLUICE_GUARDED_BY(change_mutex_);
  struct Part {
    std::vector<DatasetPtr> datasets;
    std::vector<std::string> notes;
  };
  std::map<std::string, Part> by_collection_ SLUICE_GUARDED_BY(change_mutex_);

  mutable Mutex mutex_;
  mutable CondVar replaced_;
  Inventory inventory_ SLUICE_GUARDED_BY(mutex_);  // Replaced whole.
};

}  // namespace sluice::query
