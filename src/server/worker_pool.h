#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::server {

// Runs handlers. Threads are made as they are needed, up to a bound; what waits is bounded too. A handler may
// block for long while it asks a user, so the bound is on threads, not on cores.
class WorkerPool {
 public:
  WorkerPool(std::size_t threads_max, std::size_t waiting_max)
      : threads_max_(threads_max), waiting_max_(waiting_max) {}
  ~WorkerPool();  // Runs what waits, then joins.

  // False: too much is waiting already.
  bool submit(std::function<void()> job);

 private:
  void run();
  bool wakes_another();  // True: the caller notifies, once it has let go of the lock.

  const std::size_t threads_max_;
  const std::size_t waiting_max_;
  std::mutex mutex_;  // Guards everything below.
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool is_waking_ = false;  // Somebody was notified and has not looked yet.
  bool stopping_ = false;
};

}  // namespace sluice::server
