#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <list>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"

namespace sluice::transport {

// Threads for what may block, so that no I/O thread does. They start when they are needed, up to a number,
// and stay. Any thread.
class BlockingThreads {
 public:
  using Job = std::function<void()>;

  explicit BlockingThreads(std::size_t threads_max) : threads_max_(threads_max) {}
  BlockingThreads(const BlockingThreads&) = delete;
  BlockingThreads& operator=(const BlockingThreads&) = delete;
  ~BlockingThreads();  // Runs what waits, and waits for it.

  // Whoever calls it bounds how many jobs there are. A job throws nothing.
  void run(Job job);

 private:
  void work();

  const std::size_t threads_max_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<Job> jobs_ SLUICE_GUARDED_BY(mutex_);
  std::size_t idle_ SLUICE_GUARDED_BY(mutex_) = 0;
  bool stopping_ SLUICE_GUARDED_BY(mutex_) = false;
  std::list<BackgroundThread> threads_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::transport
