#pragma once

#include <deque>
#include <stop_token>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/bounded_pool.h"

#include "connection/link.h"

namespace sluice::engine::postgres {

using Lease = BoundedPool<Link>::Lease;

// Ends what nobody waits for any more: cancels it at the server and gives the connection back clean, or drops
// it. One thread, so that who left need not wait. The pool must outlive it.
class Reaper {
 public:
  Reaper();
  ~Reaper();

  void take(Lease lease);

 private:
  void run(const std::stop_token& stop);

  Mutex mutex_;
  CondVar changed_;
  std::deque<Lease> leases_ SLUICE_GUARDED_BY(mutex_);  // No more than the pool has.
  BackgroundThread thread_;
};

}  // namespace sluice::engine::postgres
