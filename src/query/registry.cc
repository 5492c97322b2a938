#include "sluice/query/registry.h"

#include <algorithm>
#include <utility>

namespace sluice::query {

namespace {

std::string dimension_key(const Collection& collection, const std::vector<std::string>& dimensions) {
  std::string key = collection.name;
  for (const std::string& value : dimensions) (key += '\0') += value;
  return key;
}

bool by_name(const DatasetPtr& a, const DatasetPtr& b) { return a->name() < b->name(); }

// Both are in order of name, so that one walk along them is enough: this runs at every change of a file.
InventoryChange compare(const Inventory& before, const Inventory& after) {
  InventoryChange change;
  auto old = before.datasets().begin();
  const auto old_end = before.datasets().end();
  for (const DatasetPtr& dataset : after.datasets()) {
    for (; old != old_end && (*old)->name() < dataset->name(); ++old) change.list_changed = true;
    if (old == old_end || (*old)->name() != dataset->name()) {
      change.list_changed = true;
      continue;
    }
    if ((*old)->identity().version != dataset->identity().version) change.updated.push_back(dataset);
    ++old;
  }
  if (old != old_end) change.list_changed = true;
  return change;
}

}  // namespace

Inventory::Inventory(std::vector<std::shared_ptr<const Collection>> collections,
                     std::vector<DatasetPtr> datasets)
    : collections_(std::move(collections)), datasets_(std::move(datasets)) {
  if (!std::is_sorted(datasets_.begin(), datasets_.end(), by_name))
    std::sort(datasets_.begin(), datasets_.end(), by_name);
  for (const DatasetPtr& dataset : datasets_) {
    if (dataset->identity().dimensions.empty()) continue;
    by_dimensions_.emplace(dimension_key(dataset->collection(), dataset->identity().dimensions), dataset);
  }
}

DatasetPtr Inventory::find(std::string_view name) const {
  const auto place = std::lower_bound(datasets_.begin(), datasets_.end(), name,
                                      [](const DatasetPtr& a, std::string_view b) { return a->name() < b; });
  return place != datasets_.end() && (*place)->name() == name ? *place : nullptr;
}

DatasetPtr Inventory::find(const Collection& collection, const std::vector<std::string>& dimensions) const {
  const auto found = by_dimensions_.find(dimension_key(collection, dimensions));
  return found == by_dimensions_.end() ? nullptr : found->second;
}

std::shared_ptr<const Inventory> Registry::inventory() const {
  const std::lock_guard lock(mutex_);
  return inventory_;
}

void Registry::wait_past(const std::shared_ptr<const Inventory>& seen, std::chrono::milliseconds most) const {
  std::unique_lock lock(mutex_);
  replaced_.wait_for(lock, most, [&] { return inventory_ != seen; });
}

void Registry::replace(const std::shared_ptr<const Collection>& collection,
                       std::vector<DatasetPtr> datasets) {
  const std::lock_guard change_lock(change_mutex_);
  const auto same_name = [&](const auto& other) { return other->name == collection->name; };
  const auto known = std::find_if(collections_.begin(), collections_.end(), same_name);
  if (known == collections_.end()) {
    collections_.push_back(collection);
  } else {
    *known = collection;
  }
  by_collection_[collection->name] = std::move(datasets);
  std::vector<DatasetPtr> all;
  for (const auto& [name, part] : by_collection_) all.insert(all.end(), part.begin(), part.end());
  auto next = std::make_shared<const Inventory>(collections_, std::move(all));
  std::shared_ptr<const Inventory> before;
  {
    const std::lock_guard lock(mutex_);
    before = std::exchange(inventory_, next);
  }
  replaced_.notify_all();
  const InventoryChange change = compare(*before, *next);
  if (!change.list_changed && change.updated.empty()) return;
  for (const auto& [id, listener] : listeners_) listener(change);
}

std::uint64_t Registry::listen(Listener listener) {
  const std::lock_guard lock(change_mutex_);
  listeners_.emplace(++listened_, std::move(listener));
  return listened_;
}

void Registry::unlisten(std::uint64_t id) {
  const std::lock_guard lock(change_mutex_);
  listeners_.erase(id);
}

}  // namespace sluice::query
