#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "dispatch/fair_queue.h"

namespace sluice::server {

// Runs handlers. Threads are made as they are needed, up to a bound; what waits is bounded too. A handler may
// block for long while it asks a user, so the bound is on threads, not on cores. Owners share the threads;
// see FairQueue.
class WorkerPool {
 public:
  WorkerPool(std::size_t threads_max, std::size_t waiting_max)
      : threads_max_(threads_max), queue_(threads_max, waiting_max) {}
  ~WorkerPool();  // Runs what waits, then joins.

  // False: too much is waiting already. `tag` names the job for `replace_stuck`.
  bool submit(const ShareKey& key, FairQueue::Job job, const void* tag = nullptr);
  // The job with this tag runs and does not end: another thread takes the place of its own for as long,
  // unless too many have been replaced so.
  void replace_stuck(const void* tag);
  std::size_t stuck();

 private:
  void run();
  bool add_thread();     // False: nothing could run on it, or there are enough.
  bool wakes_another();  // True: the caller notifies, once it has let go of the lock.

  const std::size_t threads_max_;
  std::mutex mutex_;  // Guards everything below.
  std::condition_variable wake_;
  FairQueue queue_;
  std::vector<std::thread> threads_;
  std::set<const void*> running_;  // The tags of jobs that run,
  std::set<const void*> stuck_;    // and of those that were replaced.
  std::size_t idle_ = 0;
  bool is_waking_ = false;  // Somebody was notified and has not looked yet.
  bool stopping_ = false;
};

}  // namespace sluice::server
