#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

namespace sluice::server {

// Calls back when a time has come, on a thread of its own. Callbacks are short; they may add and remove
// others.
class Deadlines {
 public:
  using Ticket = std::pair<Monotonic, std::uint64_t>;

  explicit Deadlines(const Clock& clock);
  ~Deadlines() { stop(); }

  // No callback runs any more when it returns. May be called again.
  void stop();

  Ticket add(Monotonic at, std::function<void()> callback);
  // False: it has run, is running, or was removed before.
  bool remove(const Ticket& ticket);

 private:
  void run();

  const Clock& clock_;
  Mutex mutex_;
  CondVar wake_;
  std::map<Ticket, std::function<void()>> waiting_ SLUICE_GUARDED_BY(mutex_);
  std::uint64_t next_ SLUICE_GUARDED_BY(mutex_) = 0;
  Monotonic alarm_ SLUICE_GUARDED_BY(mutex_) = Monotonic::max();  // When the thread wakes by itself.
  bool stopping_ SLUICE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace sluice::server
