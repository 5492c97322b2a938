#include "http/http_core.h"

#include <algorithm>

#include "sluice/base/limits.h"

namespace sluice::transport {

ConnectionTicket::ConnectionTicket(ConnectionCount& count) : count_(&count) {
  const std::lock_guard lock(count_->mutex_);
  ++count_->open_;
}

ConnectionTicket::~ConnectionTicket() {
  if (count_ == nullptr) return;
  const std::lock_guard lock(count_->mutex_);
  if (--count_->open_ == 0) count_->none_.notify_all();
}

std::size_t ConnectionCount::open() const {
  const std::lock_guard lock(mutex_);
  return open_;
}

bool ConnectionCount::wait_for_none(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, std::min(wait, kHttpTimeoutMax), [this] { return open_ == 0; });
}

}  // namespace sluice::transport
