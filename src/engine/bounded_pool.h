#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

// cancelled() or the error of a deadline that is over, or nothing.
inline Status check_limits(const RunLimits& limits) {
  if (limits.stop.stop_requested()) return cancelled();
  if (limits.deadline != Monotonic::max() && system_clock().now() >= limits.deadline) {
    return deadline_exceeded().with_code("time_limit").with_hint("Add a filter, or ask for an aggregate.");
  }
  return {};
}

// At most so many items of a kind that is costly to make. Any thread; it must outlive its leases.
template <typename T>
class BoundedPool {
 public:
  // The right to use one item, and the item where there is one. It goes back when the lease dies; an item
  // that is reset before does not.
  class Lease {
   public:
    Lease(BoundedPool& pool, std::unique_ptr<T> taken) : item(std::move(taken)), pool_(&pool) {}
    Lease(Lease&& other) noexcept : item(std::move(other.item)), pool_(std::exchange(other.pool_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(item));
    }

    std::unique_ptr<T> item;

   private:
    BoundedPool* pool_;
  };

  explicit BoundedPool(std::size_t items_max) : items_max_(items_max) {}

  Result<Lease> take(const RunLimits& limits) {
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return leased_ < items_max_; };
    if (is_free()) {
      // Nothing to wait for.
    } else if (limits.deadline == Monotonic::max()) {
      freed_.wait(lock, limits.stop, is_free);
    } else {
      freed_.wait_until(lock, limits.stop, limits.deadline, is_free);
    }
    const Status leaves = check_limits(limits);
    if (!leaves.ok() && is_free())
      freed_.notify_one();  // Another may have been told in vain through this one.
    SLUICE_CHECK(leaves);
    if (!is_free()) return deadline_exceeded().with_code("time_limit");
    ++leased_;
    std::unique_ptr<T> item;
    if (!idle_.empty()) {
      item = std::move(idle_.back());
      idle_.pop_back();
    }
    return Lease(*this, std::move(item));
  }

  // Ends all that nobody uses now.
  void drop_idle() {
    std::vector<std::unique_ptr<T>> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(idle_);
  }

 private:
  void give_back(std::unique_ptr<T> item) {
    {
      const std::lock_guard lock(mutex_);
      --leased_;
      if (item) idle_.push_back(std::move(item));
    }
    freed_.notify_one();
  }

  const std::size_t items_max_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::size_t leased_ = 0;
  std::vector<std::unique_ptr<T>> idle_;
};

}  // namespace sluice::engine
