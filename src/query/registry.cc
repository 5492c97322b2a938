#include "sluice/query/registry.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

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

// The path of a file may read like the name of a dataset of another collection: a file `tasks.csv` in a
// folder `records`, and the data type `tasks` of the record store. The dataset that has its collection's name
// before its own stays, and a note tells of the others.
void remove_same_names(std::vector<DatasetPtr>& datasets, std::vector<std::string>& notes) {
  const auto is_qualified = [](const DatasetPtr& dataset) {
    return dataset->name().starts_with(dataset->collection().name + "/");
  };
  std::size_t kept = 0;
  for (std::size_t i = 1; i < datasets.size(); ++i) {
    if (datasets[i]->name() != datasets[kept]->name()) {
      std::swap(datasets[++kept], datasets[i]);
      continue;
    }
    if (is_qualified(datasets[i]) && !is_qualified(datasets[kept])) std::swap(datasets[kept], datasets[i]);
    notes.push_back(fmt::format("{} of the collection {} is left out: a dataset of {} has the same name.",
                                excerpt(datasets[i]->name()), excerpt(datasets[i]->collection().name),
                                excerpt(datasets[kept]->collection().name)));
  }
  if (!datasets.empty()) datasets.resize(kept + 1);
}

}  // namespace

Inventory::Inventory(std::vector<std::shared_ptr<const Collection>> collections,
                     std::vector<DatasetPtr> datasets, std::vector<std::string> notes) {
  if (!std::is_sorted(datasets.begin(), datasets.end(), by_name))
    std::sort(datasets.begin(), datasets.end(), by_name);
  remove_same_names(datasets, notes);
  std::map<std::string, DatasetPtr, std::less<>> by_dimensions;
  for (const DatasetPtr& dataset : datasets) {
    if (dataset->identity().dimensions.empty()) continue;
    by_dimensions.emplace(dimension_key(dataset->collection(), dataset->identity().dimensions), dataset);
  }
  lists_ = std::make_shared<const Lists>(Lists{.collections = std::move(collections),
                                               .datasets = std::move(datasets),
                                               .notes = std::move(notes),
                                               .by_dimensions = std::move(by_dimensions)});
}

DatasetPtr Inventory::find(std::string_view name) const {
  const std::vector<DatasetPtr>& all = lists_->datasets;
  const auto place = std::lower_bound(all.begin(), all.end(), name,
                                      [](const DatasetPtr& a, std::string_view b) { return a->name() < b; });
  return place != all.end() && (*place)->name() == name ? *place : nullptr;
}

DatasetPtr Inventory::find(const Collection& collection, const std::vector<std::string>& dimensions) const {
  const auto found = lists_->by_dimensions.find(dimension_key(collection, dimensions));
  return found == lists_->by_dimensions.end() ? nullptr : found->second;
}

Inventory Registry::inventory() const {
  const MutexLock lock(mutex_);
  return inventory_;
}

void Registry::wait_past(const Inventory& seen, std::chrono::milliseconds most) const {
  const MutexLock lock(mutex_);
  replaced_.wait_for(mutex_, most, [&]() SLUICE_REQUIRES(mutex_) { return !inventory_.is_same_as(seen); });
}

void Registry::replace(const std::shared_ptr<const Collection>& collection, std::vector<DatasetPtr> datasets,
                       std::vector<std::string> notes) {
  const MutexLock change_lock(change_mutex_);
  const auto same_name = [&](const auto& other) { return other->name == collection->name; };
  const auto known = std::find_if(collections_.begin(), collections_.end(), same_name);
  if (known == collections_.end()) {
    collections_.push_back(collection);
  } else {
    *known = collection;
  }
  by_collection_[collection->name] = {.datasets = std::move(datasets), .notes = std::move(notes)};
  std::vector<DatasetPtr> all;
  std::vector<std::string> all_notes;
  for (const auto& [name, part] : by_collection_) {
    all.insert(all.end(), part.datasets.begin(), part.datasets.end());
    all_notes.insert(all_notes.end(), part.notes.begin(), part.notes.end());
  }
  const Inventory next(collections_, std::move(all), std::move(all_notes));
  Inventory before;
  {
    const MutexLock lock(mutex_);
    before = std::exchange(inventory_, next);
  }
  replaced_.notify_all();
  const InventoryChange change = compare(before, next);
  if (!change.list_changed && change.updated.empty()) return;
  for (const auto& [id, listener] : listeners_) listener(change);
}

std::uint64_t Registry::listen(Listener listener) {
  const MutexLock lock(change_mutex_);
  listeners_.emplace(++listened_, std::move(listener));
  return listened_;
}

void Registry::unlisten(std::uint64_t id) {
  const MutexLock lock(change_mutex_);
  listeners_.erase(id);
}

}  // namespace sluice::query
