#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/cache/key.h"

namespace sluice::cache {

struct Options {
  std::size_t entries_max = kCacheEntriesMax;
  std::size_t bytes_max =
      kCacheBytesMax;  // Keys and values as their loaders state them, and a little for each entry.
};

struct Counters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;  // Calls that began a load, or found nothing.
  std::uint64_t waits = 0;   // Calls that waited for another's load.
  std::uint64_t load_failures = 0;
  std::uint64_t evictions = 0;  // To make room.
  std::uint64_t expirations = 0;
  std::size_t entries = 0;  // Now.
  std::size_t bytes = 0;    // Now.
};

// The cache without the type of its values; use Cache<Value>. Any thread.
class Store {
 public:
  // Two owners: the store until the entry goes, and each caller that was given it.
  using Value = std::shared_ptr<const void>;
  struct Loaded {
    Value value;
    std::size_t bytes = 0;
    std::chrono::milliseconds lifetime{0};
  };
  using Loader = std::function<Result<Loaded>(std::stop_token)>;

  Store(const Clock& clock, Options options);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Value find(const Key& key);
  Result<Value> get_or_load(const Key& key, const Loader& loader, std::stop_token stop);
  void put(const Key& key, Loaded loaded);
  void invalidate(const Key& key);
  std::size_t invalidate_prefix(const Scope& scope, std::string_view prefix);
  std::size_t invalidate_prefix(std::string_view prefix);
  Counters counters() const;

 private:
  struct Flight;
  class Landing;
  struct Entry {
    const Key* key = nullptr;  // In the index, which has a node for each entry.
    Value value;
    std::size_t bytes = 0;
    Monotonic expires;
  };
  using Entries = std::list<Entry>;    // The most recently used first.
  using Dropped = std::vector<Value>;  // Destroyed when the lock is released: a value may take long to die.
  using Flights = std::map<Key, std::shared_ptr<Flight>>;  // Owners: the map, and who leads or waits.

  Value lookup(const Key& key, Dropped& dropped) SLUICE_REQUIRES(mutex_);
  void insert(const Key& key, Loaded loaded, Dropped& dropped) SLUICE_REQUIRES(mutex_);
  void erase(Entries::iterator entry, Dropped& dropped) SLUICE_REQUIRES(mutex_);
  void overtake(Flights::iterator flight) SLUICE_REQUIRES(mutex_);
  std::size_t erase_if(const std::function<bool(const Key&)>& matches, Dropped& dropped)
      SLUICE_REQUIRES(mutex_);

  Result<Value> lead(const Key& key, std::shared_ptr<Flight> flight, const Loader& loader,
                     std::stop_token stop);
  std::optional<Result<Value>> follow(Flight& flight, const std::stop_token& stop);
  void land(const Key& key, const std::shared_ptr<Flight>& flight, Result<Loaded> loaded);

  const Clock& clock_;
  const Options options_;
  mutable Mutex mutex_;
  Entries entries_ SLUICE_GUARDED_BY(mutex_);
  std::map<Key, Entries::iterator> index_ SLUICE_GUARDED_BY(mutex_);
  Flights flights_ SLUICE_GUARDED_BY(mutex_);
  Counters counters_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::cache
