#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/query/dataset.h"

#include "lean/table_profile.h"

namespace sluice::datasets::lean {

// Profiles of tables, computed one at a time on a thread of its own, once for each version of the data and
// for each policy that a dataset applies. The least recently used go first. Any thread.
class ProfileStore {
 public:
  // Runs on the store's thread and ends soon after a stop is requested. Null: the table cannot be read.
  using Compute = std::function<ProfilePtr(const query::DatasetPtr& dataset, std::stop_token stop)>;

  // `clock` must outlive the store.
  ProfileStore(const Clock& clock, Compute compute) : clock_(clock), compute_(std::move(compute)) {}
  ~ProfileStore();
  ProfileStore(const ProfileStore&) = delete;
  ProfileStore& operator=(const ProfileStore&) = delete;

  struct Found {
    ProfilePtr profile;       // Null: not known.
    bool is_pending = false;  // It is still computed, for the next call.
  };
  // The profiles of the datasets in their order. Waits at most `wait`, or until `stop` is requested.
  std::vector<Found> get(const std::vector<query::DatasetPtr>& datasets, std::chrono::milliseconds wait,
                         std::stop_token stop);
  // Computes them when nothing else is wanted.
  void prefetch(const std::vector<query::DatasetPtr>& datasets);
  // What is known now of datasets that apply no policy, without computing anything.
  std::vector<std::pair<std::string, ProfilePtr>> known() const;

 private:
  using Key = std::pair<std::string, PolicyDigest>;  // The name of the dataset first.
  struct Entry {
    std::string version;
    ProfilePtr profile;  // Null: the table could not be read.
    std::uint64_t bytes = 0;
    Monotonic computed;
    std::list<Key>::iterator use;
  };
  using Entries = std::map<Key, Entry>;

  static Key key_of(const query::Dataset& dataset);

  void enqueue(const query::DatasetPtr& dataset, std::deque<query::DatasetPtr>& queue)
      SLUICE_REQUIRES(mutex_);
  const Entry* fresh(const query::Dataset& dataset) const SLUICE_REQUIRES(mutex_);
  void put(const query::Dataset& dataset, ProfilePtr profile) SLUICE_REQUIRES(mutex_);
  void remove(Entries::iterator entry) SLUICE_REQUIRES(mutex_);
  void run(const std::stop_token& stop);

  const Clock& clock_;
  const Compute compute_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<query::DatasetPtr> wanted_ SLUICE_GUARDED_BY(mutex_);      // Callers wait for these.
  std::deque<query::DatasetPtr> prefetched_ SLUICE_GUARDED_BY(mutex_);  // Computed when `wanted_` is empty.
  query::DatasetPtr running_ SLUICE_GUARDED_BY(mutex_);
  Entries entries_ SLUICE_GUARDED_BY(mutex_);
  std::list<Key> uses_ SLUICE_GUARDED_BY(mutex_);  // The least recently used first.
  std::uint64_t bytes_ SLUICE_GUARDED_BY(mutex_) = 0;      // Of all entries.
  BackgroundThread worker_;  // Started by the first request; declared last, so that it ends first.
};

}  // namespace sluice::datasets::lean
