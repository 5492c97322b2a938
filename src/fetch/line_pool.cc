#include "line_pool.h"

#include <algorithm>
#include <utility>

namespace sluice::fetch {

LinePool::Lease::~Lease() {
  if (line_) pool_->give_back(std::move(line_));
}

Result<LinePool::Lease> LinePool::take(const std::string& origin, const Clock& clock, Monotonic deadline,
                                       std::stop_token stop) {
  MutexLock lock(mutex_);
  const auto is_free = [this]() SLUICE_REQUIRES(mutex_) { return used_ < lines_max_; };
  if (!freed_.wait_for(mutex_, stop, deadline - clock.now(), is_free)) {
    if (stop.stop_requested()) return cancelled();
    return make_error(ErrorKind::kDeadline, "too many requests are under way").with_code("fetch_timed_out");
  }
  ++used_;
  const auto same = std::find_if(idle_.begin(), idle_.end(),
                                 [&](const auto& line) { return line->last_origin() == origin; });
  if (same == idle_.end()) {
    lock.unlock();
    return Lease(*this, std::make_unique<Line>());
  }
  std::unique_ptr<Line> line = std::move(*same);
  idle_.erase(same);
  return Lease(*this, std::move(line));
}

void LinePool::give_back(std::unique_ptr<Line> line) {
  std::unique_ptr<Line> oldest;  // Closed without the lock.
  {
    const MutexLock lock(mutex_);
    --used_;
    idle_.push_front(std::move(line));
    if (idle_.size() > idle_lines_max_) {
      oldest = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  freed_.notify_one();
}

}  // namespace sluice::fetch
