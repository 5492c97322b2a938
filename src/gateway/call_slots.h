#pragma once

#include <cstddef>
#include <stop_token>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"

namespace sluice::gateway {

// So many calls of one upstream run at once, and so many wait, that others always find a thread. Any thread.
class CallSlots {
 public:
  class Slot {
   public:
    explicit Slot(CallSlots& slots) : slots_(&slots) {}
    Slot(Slot&& other) noexcept : slots_(other.slots_) { other.slots_ = nullptr; }
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (slots_ != nullptr) slots_->give_back();
    }

   private:
    CallSlots* slots_;  // Null: moved from.
  };

  CallSlots(std::size_t running_max, std::size_t waiting_max)
      : running_max_(running_max), waiting_max_(waiting_max) {}

  // kLimitReached: too many wait. kDeadline: none came free in time.
  Result<Slot> take(Monotonic deadline, const std::stop_token& stop);

 private:
  void give_back();

  const std::size_t running_max_;
  const std::size_t waiting_max_;
  Mutex mutex_;
  CondVar freed_;
  std::size_t running_ SLUICE_GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ SLUICE_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice::gateway
