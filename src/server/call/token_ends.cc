#include "call/token_ends.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace sluice::server {

void TokenEnds::add(const CallerIdentity* identity, std::weak_ptr<const void> stream,
                    std::function<void()> end) {
  if (identity == nullptr) return;
  const auto left = identity->accepted_until - clock_.wall();
  const Monotonic at = clock_.now() + std::chrono::duration_cast<Monotonic::duration>(left);
  bool is_earliest = false;
  {
    const MutexLock lock(mutex_);
    if (entries_.size() >= drop_at_) drop_gone();
    is_earliest = at < alarm_;
    alarm_ = std::min(alarm_, at);
    entries_.emplace(at, Entry{.stream = std::move(stream), .end = std::move(end)});
  }
  if (is_earliest) deadlines_.add(at, [this] { end_due(); });
}

std::size_t TokenEnds::size() const {
  const MutexLock lock(mutex_);
  return entries_.size();
}

void TokenEnds::end_due() {
  std::vector<Entry> due;
  Monotonic next = Monotonic::max();
  {
    const MutexLock lock(mutex_);
    const auto first_left = entries_.upper_bound(clock_.now());
    for (auto each = entries_.begin(); each != first_left; ++each) due.push_back(std::move(each->second));
    entries_.erase(entries_.begin(), first_left);
    drop_gone();
    // A later alarm that an earlier one was set before still comes; then nothing is due.
    if (clock_.now() >= alarm_) alarm_ = Monotonic::max();
    if (!entries_.empty() && entries_.begin()->first < alarm_) alarm_ = next = entries_.begin()->first;
  }
  for (const Entry& each : due) {
    if (const std::shared_ptr<const void> open = each.stream.lock()) each.end();
  }
  if (next != Monotonic::max()) deadlines_.add(next, [this] { end_due(); });
}

void TokenEnds::drop_gone() {
  std::erase_if(entries_, [](const auto& each) { return each.second.stream.expired(); });
  constexpr std::size_t kDropAtMin = 64;
  drop_at_ = std::max(kDropAtMin, 2 * entries_.size());
}

}  // namespace sluice::server
