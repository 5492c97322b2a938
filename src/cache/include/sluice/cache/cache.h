#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/key.h"
#include "sluice/cache/store.h"

namespace sluice::cache {

// A value, what it weighs, and how long it may be given out. A lifetime of zero: give it to who asked, do not
// keep it.
template <typename Value>
struct Loaded {
  Value value;
  std::size_t bytes = 0;
  std::chrono::milliseconds lifetime{0};
};

// Values by key, for a time. Keeps the most recently used within its bounds of entries and bytes. Any thread.
template <typename Value>
class Cache {
 public:
  // Two owners: the cache until the entry goes, and each caller that was given it.
  using Handle = std::shared_ptr<const Value>;
  using Loader = std::function<Result<Loaded<Value>>(std::stop_token)>;

  // `clock` must outlive the cache.
  explicit Cache(const Clock& clock, Options options = {}) : store_(clock, options) {}

  // Null where there is nothing, or nothing fresh.
  Handle find(const Key& key) { return typed(store_.find(key)); }

  // The value that is kept, or what `loader` gives. While one caller loads, others of the same key wait for
  // it: they get its value or its error. Errors are not kept. A waiting caller leaves with kCancelled when
  // its own `stop` is requested; when the one who loads is cancelled or out of time, one who waits loads with
  // its own loader.
  //
  // The loader runs on the calling thread, without a lock, and must not ask for its own key. What an
  // invalidation overtakes while it is being loaded goes to those who already wait, and is not kept.
  Result<Handle> get_or_load(const Key& key, const Loader& loader, std::stop_token stop) {
    SLUICE_TRY(Store::Value value, store_.get_or_load(key, erased(loader), std::move(stop)));
    return typed(std::move(value));
  }

  void put(const Key& key, Loaded<Value> loaded) { store_.put(key, erased(std::move(loaded))); }

  void invalidate(const Key& key) { store_.invalidate(key); }

  // Every key whose text begins with `prefix`: of one scope, or of all. Returns how many values went.
  std::size_t invalidate_prefix(const Scope& scope, std::string_view prefix) {
    return store_.invalidate_prefix(scope, prefix);
  }
  std::size_t invalidate_prefix(std::string_view prefix) { return store_.invalidate_prefix(prefix); }

  Counters counters() const { return store_.counters(); }

 private:
  static Handle typed(Store::Value value) { return std::static_pointer_cast<const Value>(std::move(value)); }
  static Store::Loaded erased(Loaded<Value> loaded) {
    return {.value = std::make_shared<const Value>(std::move(loaded.value)),
            .bytes = loaded.bytes,
            .lifetime = loaded.lifetime};
  }
  static Store::Loader erased(const Loader& loader) {
    return [&loader](std::stop_token stop) -> Result<Store::Loaded> {
      SLUICE_TRY(Loaded<Value> loaded, loader(std::move(stop)));
      return erased(std::move(loaded));
    };
  }

  Store store_;
};

}  // namespace sluice::cache
