#include "http/http_core.h"

#include <algorithm>

#include "sluice/base/limits.h"

namespace sluice::transport {

ConnectionTicket::ConnectionTicket(ConnectionCount& count) : count_(&count) {
  const MutexLock lock(count_->mutex_);
  ++count_->open_;
}

ConnectionTicket::~ConnectionTicket() {
  if (count_ == nullptr) return;
  const MutexLock lock(count_->mutex_);
  if (--count_->open_ == 0) count_->none_.notify_all();
}

std::size_t ConnectionCount::open() const {
  const MutexLock lock(mutex_);
  return open_;
}

bool ConnectionCount::wait_for_none(std::chrono::milliseconds wait) {
  const MutexLock lock(mutex_);
  return none_.wait_for(mutex_, std::min(wait, kHttpTimeoutMax),
                        [this]() SLUICE_REQUIRES(mutex_) { return open_ == 0; });
}

}  // namespace sluice::transport
