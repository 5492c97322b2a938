#include "lean/profile_store.h"

#include <algorithm>
#include <utility>

namespace sluice::datasets::lean {

namespace {

constexpr std::size_t kProfilesMax = 1'000;
constexpr std::uint64_t kProfileBytesMax = std::uint64_t{32} << 20U;
constexpr std::size_t kQueueMax = 1'000;
// A database changes its rows without a new version of the dataset.
constexpr std::chrono::seconds kDatabaseLifetime{60};

std::uint64_t bytes_of(const ProfilePtr& profile) {
  std::uint64_t bytes = sizeof(TableProfile);
  if (!profile) return bytes;
  for (const ColumnProfile& column : profile->columns)
    bytes += sizeof(ColumnProfile) + 8 * (column.sample.size() + column.key_set.size()) +
             64 * column.values.size();
  return bytes;
}

}  // namespace

ProfileStore::~ProfileStore() {
  worker_.request_stop();
  changed_.notify_all();
}

ProfileStore::Key ProfileStore::key_of(const query::Dataset& dataset) {
  return {dataset.name(), dataset.identity().policy};
}

const ProfileStore::Entry* ProfileStore::fresh(const query::Dataset& dataset) const {
  const auto found = entries_.find(key_of(dataset));
  if (found == entries_.end() || found->second.version != dataset.identity().version) return nullptr;
  if (!dataset.identity().is_followed && clock_.now() - found->second.computed > kDatabaseLifetime)
    return nullptr;
  return &found->second;
}

void ProfileStore::enqueue(const query::DatasetPtr& dataset, std::deque<query::DatasetPtr>& queue) {
  const bool is_known = fresh(*dataset) != nullptr || running_ == dataset ||
                        std::find(queue.begin(), queue.end(), dataset) != queue.end();
  if (!is_known && queue.size() < kQueueMax) queue.push_back(dataset);
  if (!worker_.is_started())
    worker_ = BackgroundThread("profiles", [this](const std::stop_token& stop) { run(stop); });
}

std::vector<ProfileStore::Found> ProfileStore::get(const std::vector<query::DatasetPtr>& datasets,
                                                   std::chrono::milliseconds wait, std::stop_token stop) {
  const MutexLock lock(mutex_);
  for (const query::DatasetPtr& dataset : datasets) enqueue(dataset, wanted_);
  changed_.notify_all();
  changed_.wait_for(mutex_, std::move(stop), wait, [&]() SLUICE_REQUIRES(mutex_) {
    return std::all_of(datasets.begin(), datasets.end(),
                       [&](const query::DatasetPtr& dataset)
                           SLUICE_REQUIRES(mutex_) { return fresh(*dataset) != nullptr; });
  });
  std::vector<Found> out;
  for (const query::DatasetPtr& dataset : datasets) {
    const Entry* entry = fresh(*dataset);
    out.push_back({.profile = entry == nullptr ? nullptr : entry->profile, .is_pending = entry == nullptr});
    if (entry != nullptr) uses_.splice(uses_.end(), uses_, entry->use);
  }
  return out;
}

void ProfileStore::prefetch(const std::vector<query::DatasetPtr>& datasets) {
  const MutexLock lock(mutex_);
  for (const query::DatasetPtr& dataset : datasets) enqueue(dataset, prefetched_);
  changed_.notify_all();
}

std::vector<std::pair<std::string, ProfilePtr>> ProfileStore::known() const {
  const MutexLock lock(mutex_);
  std::vector<std::pair<std::string, ProfilePtr>> out;
  for (const auto& [key, entry] : entries_) {
    if (entry.profile && key.second.text.empty()) out.emplace_back(key.first, entry.profile);
  }
  return out;
}

void ProfileStore::remove(Entries::iterator entry) {
  bytes_ -= entry->second.bytes;
  uses_.erase(entry->second.use);
  entries_.erase(entry);
}

void ProfileStore::put(const query::Dataset& dataset, ProfilePtr profile) {
  const Key key = key_of(dataset);
  if (const auto found = entries_.find(key); found != entries_.end()) remove(found);
  const std::uint64_t bytes = bytes_of(profile);
  while (!entries_.empty() && (entries_.size() >= kProfilesMax || bytes_ + bytes > kProfileBytesMax))
    remove(entries_.find(uses_.front()));
  uses_.push_back(key);
  bytes_ += bytes;
  entries_.emplace(key, Entry{.version = dataset.identity().version,
                              .profile = std::move(profile),
                              .bytes = bytes,
                              .computed = clock_.now(),
                              .use = std::prev(uses_.end())});
}

void ProfileStore::run(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (true) {
    changed_.wait(mutex_, stop,
                  [&]() SLUICE_REQUIRES(mutex_) { return !wanted_.empty() || !prefetched_.empty(); });
    if (stop.stop_requested()) return;
    std::deque<query::DatasetPtr>& queue = wanted_.empty() ? prefetched_ : wanted_;
    running_ = std::move(queue.front());
    queue.pop_front();
    if (fresh(*running_) == nullptr) {
      const query::DatasetPtr dataset = running_;
      lock.unlock();
      ProfilePtr profile = compute_(dataset, stop);
      lock.lock();
      put(*dataset, std::move(profile));
    }
    running_.reset();
    changed_.notify_all();
  }
}

}  // namespace sluice::datasets::lean
