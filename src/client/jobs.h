#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <thread>

#include "sluice/base/mutex.h"

namespace sluice::client {

// Work that must not hold up the thread that found it: answering a question, telling of a cancellation. Each
// has a thread, a few at a time. Any thread.
class Jobs {
 public:
  explicit Jobs(std::size_t jobs_max) : jobs_max_(jobs_max) {}
  ~Jobs() { close(); }

  // False: too many, or closed; nothing is done.
  bool start(std::function<void()> work);
  // Waits for those that run; whoever closes has told them to stop.
  void close();

 private:
  struct Job {
    std::thread thread;
    bool done = false;
  };

  const std::size_t jobs_max_;
  Mutex mutex_;
  std::list<Job> jobs_ SLUICE_GUARDED_BY(mutex_);
  bool closed_ SLUICE_GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::client
