#pragma once

#include <cstddef>
#include <set>
#include <thread>
#include <vector>

#include "sluice/base/mutex.h"

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
  bool add_thread() SLUICE_REQUIRES(mutex_);     // False: nothing could run on it, or there are enough.
  bool wakes_another() SLUICE_REQUIRES(mutex_);  // True: the caller notifies, once it has let go of the lock.

  const std::size_t threads_max_;
  Mutex mutex_;
  CondVar wake_;
  FairQueue queue_ SLUICE_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ SLUICE_GUARDED_BY(mutex_);
  std::set<const void*> running_ SLUICE_GUARDED_BY(mutex_);  // The tags of jobs that run,
  std::set<const void*> stuck_ SLUICE_GUARDED_BY(mutex_);    // and of those that were replaced.
  std::size_t idle_ SLUICE_GUARDED_BY(mutex_) = 0;
  bool is_waking_ SLUICE_GUARDED_BY(mutex_) = false;  // Somebody was notified and has not looked yet.
  bool stopping_ SLUICE_GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::server
