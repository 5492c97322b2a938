#include "sluice/cache/store.h"

#include <algorithm>
#include <iterator>
#include <thread>
#include <utility>

#include "sluice/base/assert.h"
#include "sluice/base/mutex.h"

namespace sluice::cache {

// One load and those who wait for it. Guarded by the store's mutex.
struct Store::Flight {
  std::thread::id leader = std::this_thread::get_id();
  std::optional<Result<Value>> outcome;
  bool overtaken = false;  // By an invalidation: its value is not kept.
  CondVar landed;
};

// Makes sure that a flight ends, also where its loader throws.
class Store::Landing {
 public:
  Landing(Store& store, const Key& key, std::shared_ptr<Flight> flight)
      : store_(store), key_(key), flight_(std::move(flight)) {}
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;
  ~Landing() {
    if (flight_) store_.land(key_, flight_, internal_error("load a value for the cache"));
  }
  void land(Result<Loaded> loaded) { store_.land(key_, std::exchange(flight_, nullptr), std::move(loaded)); }

 private:
  Store& store_;
  const Key& key_;
  std::shared_ptr<Flight> flight_;  // Null once it has landed.
};

Store::Store(const Clock& clock, Options options) : clock_(clock), options_(options) {}
Store::~Store() = default;

Store::Value Store::find(const Key& key) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  Value value = lookup(key, dropped);
  ++(value ? counters_.hits : counters_.misses);
  return value;
}

Result<Store::Value> Store::get_or_load(const Key& key, const Loader& loader, std::stop_token stop) {
  if (key.text.size() > kCacheKeyBytesMax) return limit_reached("bytes in a cache key", kCacheKeyBytesMax);
  for (std::size_t attempt = 0; attempt < kCacheLoadAttemptsMax; ++attempt) {
    if (stop.stop_requested()) return cancelled();
    std::shared_ptr<Flight> flight;
    bool leads = false;
    {
      Dropped dropped;
      const MutexLock lock(mutex_);
      if (Value value = lookup(key, dropped)) {
        ++counters_.hits;
        return value;
      }
      std::shared_ptr<Flight>& known = flights_[key];
      leads = known == nullptr;
      if (leads) known = std::make_shared<Flight>();
      flight = known;
      ++(leads ? counters_.misses : counters_.waits);
    }
    if (leads) return lead(key, std::move(flight), loader, std::move(stop));
    if (std::optional<Result<Value>> outcome = follow(*flight, stop)) return *std::move(outcome);
  }
  return unavailable("load a value for the cache: others keep cancelling it");
}

Result<Store::Value> Store::lead(const Key& key, std::shared_ptr<Flight> flight, const Loader& loader,
                                 std::stop_token stop) {
  Landing landing(*this, key, std::move(flight));
  Result<Loaded> loaded = loader(std::move(stop));
  Result<Value> own = loaded.ok() ? Result<Value>(loaded->value) : Result<Value>(loaded.error());
  landing.land(std::move(loaded));
  return own;
}

// Nothing: the leader ended for reasons of its own, which are none of the follower's.
std::optional<Result<Store::Value>> Store::follow(Flight& flight, const std::stop_token& stop) {
  SLUICE_ASSERT(flight.leader != std::this_thread::get_id(),
                "a loader that asks for its own key waits forever");
  const MutexLock lock(mutex_);
  const bool landed =
      flight.landed.wait_for(mutex_, stop, kRequestTimeout,
                             [&flight]() SLUICE_REQUIRES(mutex_) { return flight.outcome.has_value(); });
  if (!landed) return Result<Value>(stop.stop_requested() ? cancelled() : deadline_exceeded());
  if (!flight.outcome->ok()) {
    const ErrorKind kind = flight.outcome->error().kind;
    if (kind == ErrorKind::kCancelled || kind == ErrorKind::kDeadline) return std::nullopt;
  }
  return flight.outcome;
}

void Store::land(const Key& key, const std::shared_ptr<Flight>& flight, Result<Loaded> loaded) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  if (loaded.ok()) {
    flight->outcome.emplace(loaded->value);
    if (!flight->overtaken) insert(key, std::move(loaded).value(), dropped);
  } else {
    ++counters_.load_failures;
    flight->outcome.emplace(std::move(loaded).error());
  }
  const auto own = flights_.find(key);
  if (own != flights_.end() && own->second == flight) flights_.erase(own);
  flight->landed.notify_all();
}

void Store::put(const Key& key, Loaded loaded) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  overtake(flights_.find(key));
  insert(key, std::move(loaded), dropped);
}

void Store::invalidate(const Key& key) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  overtake(flights_.find(key));
  if (const auto found = index_.find(key); found != index_.end()) erase(found->second, dropped);
}

std::size_t Store::invalidate_prefix(const Scope& scope, std::string_view prefix) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  return erase_if([&](const Key& key) { return key.scope == scope && key.text.starts_with(prefix); },
                  dropped);
}

std::size_t Store::invalidate_prefix(std::string_view prefix) {
  Dropped dropped;
  const MutexLock lock(mutex_);
  return erase_if([&](const Key& key) { return key.text.starts_with(prefix); }, dropped);
}

Counters Store::counters() const {
  const MutexLock lock(mutex_);
  Counters now = counters_;
  now.entries = entries_.size();
  return now;
}

Store::Value Store::lookup(const Key& key, Dropped& dropped) {
  const auto found = index_.find(key);
  if (found == index_.end()) return nullptr;
  const Entries::iterator entry = found->second;
  if (clock_.now() >= entry->expires) {
    ++counters_.expirations;
    erase(entry, dropped);
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->value;
}

void Store::insert(const Key& key, Loaded loaded, Dropped& dropped) {
  if (const auto old = index_.find(key); old != index_.end()) erase(old->second, dropped);
  // Written as differences: what a loader states may be as large as a size can be.
  const std::size_t fixed = kCacheEntryOverheadBytes + key.text.size();
  const bool fits = fixed <= options_.bytes_max && loaded.bytes <= options_.bytes_max - fixed;
  if (!fits || options_.entries_max == 0 || loaded.lifetime <= std::chrono::milliseconds(0)) return;
  const std::size_t bytes = fixed + loaded.bytes;
  while (entries_.size() >= options_.entries_max || counters_.bytes > options_.bytes_max - bytes) {
    SLUICE_ASSERT(!entries_.empty(), "what takes the room can be evicted");
    ++counters_.evictions;
    erase(std::prev(entries_.end()), dropped);
  }
  const auto lifetime = std::min<std::chrono::milliseconds>(loaded.lifetime, kCacheLifetimeMax);
  const auto place = index_.emplace(key, entries_.end()).first;
  entries_.push_front({.key = &place->first,
                       .value = std::move(loaded.value),
                       .bytes = bytes,
                       .expires = clock_.now() + lifetime});
  place->second = entries_.begin();
  counters_.bytes += bytes;
}

void Store::erase(Entries::iterator entry, Dropped& dropped) {
  SLUICE_ASSERT(counters_.bytes >= entry->bytes, "what is dropped was counted when it came");
  counters_.bytes -= entry->bytes;
  dropped.push_back(std::move(entry->value));
  index_.erase(index_.find(*entry->key));  // By place: the key dies with it.
  entries_.erase(entry);
}

void Store::overtake(Flights::iterator flight) {
  if (flight == flights_.end()) return;
  flight->second->overtaken = true;
  flights_.erase(flight);  // Who asks from now on must not get what was read before.
}

std::size_t Store::erase_if(const std::function<bool(const Key&)>& matches, Dropped& dropped) {
  std::size_t erased = 0;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto each = entry++;
    if (!matches(*each->key)) continue;
    erase(each, dropped);
    ++erased;
  }
  for (auto flight = flights_.begin(); flight != flights_.end();) {
    const auto each = flight++;
    if (matches(each->first)) overtake(each);
  }
  return erased;
}

}  // namespace sluice::cache
