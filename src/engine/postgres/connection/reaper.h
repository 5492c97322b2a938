#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

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

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Lease> leases_;  // No more than the pool has.
  std::jthread thread_;
};

}  // namespace sluice::engine::postgres
