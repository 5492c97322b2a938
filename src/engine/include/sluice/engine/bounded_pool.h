#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/database.h"
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

// At most so many items of a kind that is costly to make. Whoever waits is served in the order of arrival.
// Any thread; it must outlive its leases and its reservations.
template <typename T>
class BoundedPool {
 public:
  // The right to several items, which leases share.
  class Group final : public Reservation {
   public:
    Group(BoundedPool& pool, std::size_t items) : pool_(pool), items_(items), unused_(items) {}
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() override { pool_.release(items_); }

    std::size_t connections() const override { return items_; }

   private:
    friend class BoundedPool;
    BoundedPool& pool_;
    const std::size_t items_;
    std::size_t unused_;  // Guarded by the mutex of the pool.
  };

  // The right to use one item, and the item where there is one. It goes back when the lease dies; an item
  // that is reset before does not.
  class Lease {
   public:
    Lease(BoundedPool& pool, std::unique_ptr<T> taken, std::shared_ptr<Group> group)
        : item(std::move(taken)), pool_(&pool), group_(std::move(group)) {}
    Lease(Lease&& other) noexcept
        : item(std::move(other.item)),
          pool_(std::exchange(other.pool_, nullptr)),
          group_(std::move(other.group_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->give_back(std::move(item), group_.get());
    }

    std::unique_ptr<T> item;

   private:
    BoundedPool* pool_;
    std::shared_ptr<Group> group_;  // Shared by the leases of a statement. Null: a right of its own.
  };

  explicit BoundedPool(std::size_t items_max) : items_max_(items_max) {}

  std::size_t items_max() const { return items_max_; }

  Result<Lease> take(const RunLimits& limits) {
    SLUICE_CHECK(wait_for(1, limits));
    return Lease(*this, idle_item(), nullptr);
  }

  // One of the group's items. If none is left it takes another that is free, and does not wait for one: the
  // holder of a group that waits may wait for a holder that waits for it.
  Result<Lease> take(const RunLimits& limits, std::shared_ptr<Group> group) {
    if (!group) return take(limits);
    SLUICE_CHECK(check_limits(limits));
    if (use_one(*group)) return Lease(*this, idle_item(), std::move(group));
    if (!use_free(1)) {
      return limit_reached("tables of one database that a statement reads side by side", items_max_)
          .with_code("too_many_tables")
          .with_hint("Ask for fewer tables at a time, or ask again when the database is less busy.");
    }
    return Lease(*this, idle_item(), nullptr);
  }

  // More than there may be are given when nobody else has any.
  Result<std::shared_ptr<Group>> reserve(std::size_t items, const RunLimits& limits) {
    SLUICE_CHECK(wait_for(items, limits));
    return std::make_shared<Group>(*this, items);
  }

  // Does not wait; null if the items are not free or somebody waits for one.
  std::shared_ptr<Group> try_reserve(std::size_t items) {
    if (!use_free(items)) return nullptr;
    return std::make_shared<Group>(*this, items);
  }

  // An item that was taken and is of use to others. The right to it stays with whoever has it.
  void add_idle(std::unique_ptr<T> item) {
    const MutexLock lock(mutex_);
    if (idle_.size() < items_max_) idle_.push_back(std::move(item));
  }

  // Ends all that nobody uses now.
  void drop_idle() {
    std::vector<std::unique_ptr<T>> dropped;
    const MutexLock lock(mutex_);
    dropped.swap(idle_);
  }

 private:
  bool has_room(std::size_t items) const SLUICE_REQUIRES(mutex_) {
    return used_ == 0 || used_ + items <= items_max_;
  }

  bool use_free(std::size_t items) {
    const MutexLock lock(mutex_);
    if (!waiting_.empty() || !has_room(items)) return false;
    used_ += items;
    return true;
  }

  Status wait_for(std::size_t items, const RunLimits& limits) {
    const MutexLock lock(mutex_);
    const auto place = waiting_.insert(waiting_.end(), ++last_arrival_);
    const auto is_free = [&]() SLUICE_REQUIRES(mutex_) {
      return waiting_.front() == *place && has_room(items);
    };
    if (is_free()) {
      // Nothing to wait for.
    } else if (limits.deadline == Monotonic::max()) {
      freed_.wait(mutex_, limits.stop, is_free);
    } else {
      freed_.wait_until(mutex_, limits.stop, limits.deadline, is_free);
    }
    const bool is_served = is_free();
    waiting_.erase(place);
    freed_.notify_all();  // Somebody else is the first now.
    SLUICE_CHECK(check_limits(limits));
    if (!is_served) return deadline_exceeded().with_code("time_limit");
    used_ += items;
    return {};
  }

  bool use_one(Group& group) {
    const MutexLock lock(mutex_);
    if (group.unused_ == 0) return false;
    --group.unused_;
    return true;
  }

  std::unique_ptr<T> idle_item() {
    const MutexLock lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<T> item = std::move(idle_.back());
    idle_.pop_back();
    return item;
  }

  void give_back(std::unique_ptr<T> item, Group* group) {
    {
      const MutexLock lock(mutex_);
      if (item && idle_.size() < items_max_) idle_.push_back(std::move(item));
      if (group != nullptr) {
        ++group->unused_;
        return;
      }
    }
    release(1);
  }

  void release(std::size_t items) {
    {
      const MutexLock lock(mutex_);
      used_ -= items;
    }
    freed_.notify_all();
  }

  const std::size_t items_max_;
  Mutex mutex_;
  CondVar freed_;
  std::list<std::uint64_t> waiting_ SLUICE_GUARDED_BY(mutex_);  // By arrival.
  std::uint64_t last_arrival_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::size_t used_ SLUICE_GUARDED_BY(mutex_) = 0;  // Taken or reserved.
  std::vector<std::unique_ptr<T>> idle_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::engine
