#include "session/replay_log.h"

#include <utility>

#include "sluice/base/assert.h"
#include "sluice/base/limits.h"

namespace sluice::server {

void ReplayLog::keep(Event event) {
  const MutexLock lock(mutex_);
  bytes_ += event.message.size();
  events_.push_back(std::move(event));
  while (events_.size() > kReplayEventsMax || (bytes_ > kReplayBytesMax && events_.size() > 1)) {
    SLUICE_ASSERT(bytes_ >= events_.front().message.size(), "every event was counted when it came");
    bytes_ -= events_.front().message.size();
    events_.pop_front();
  }
}

std::vector<ReplayLog::Event> ReplayLog::after(std::uint64_t stream, std::uint64_t sequence) const {
  const MutexLock lock(mutex_);
  std::vector<Event> found;
  for (const Event& event : events_) {
    if (event.stream == stream && event.sequence > sequence) found.push_back(event);
  }
  return found;
}

}  // namespace sluice::server
