#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"

namespace sluice::server {

// What the streams of one legacy session have sent, for clients that lost their connection. Bounded for all
// streams together: the oldest events are dropped first, but never the newest one. Any thread.
class ReplayLog {
 public:
  struct Event {
    std::uint64_t stream = 0;
    std::uint64_t sequence = 0;
    std::string message;
    bool last = false;  // It ends its stream.
  };

  void keep(Event event);
  // The events of one stream after `sequence`, oldest first, without those that were dropped.
  std::vector<Event> after(std::uint64_t stream, std::uint64_t sequence) const;

 private:
  mutable Mutex mutex_;
  std::deque<Event> events_ SLUICE_GUARDED_BY(mutex_);
  std::size_t bytes_ SLUICE_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice::server
