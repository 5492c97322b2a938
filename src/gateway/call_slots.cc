#include "call_slots.h"

namespace sluice::gateway {

Result<CallSlots::Slot> CallSlots::take(Monotonic deadline, const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  if (running_ < running_max_) {
    ++running_;
    return Slot(*this);
  }
  if (waiting_ >= waiting_max_)
    return limit_reached("calls that wait for this upstream", waiting_max_)
        .with_code("upstream_busy")
        .with_hint("Call again when some of those under way have ended.");
  ++waiting_;
  const auto is_free = [&]() SLUICE_REQUIRES(mutex_) { return running_ < running_max_; };
  const bool got = deadline == Monotonic::max() ? freed_.wait(mutex_, stop, is_free)
                                                : freed_.wait_until(mutex_, stop, deadline, is_free);
  --waiting_;
  if (got) {
    ++running_;
    return Slot(*this);
  }
  if (stop.stop_requested()) return cancelled();
  return deadline_exceeded();
}

void CallSlots::give_back() {
  {
    const MutexLock lock(mutex_);
    --running_;
  }
  freed_.notify_one();
}

}  // namespace sluice::gateway
