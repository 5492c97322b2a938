#include "sluice/base/sleep.h"

#include "sluice/base/mutex.h"

namespace sluice {

bool sleep_unless_stopped(std::chrono::nanoseconds time, const std::stop_token& stop) {
  Mutex mutex;
  CondVar stopped;
  const MutexLock lock(mutex);
  return !stopped.wait_for(mutex, stop, time, [&stop] { return stop.stop_requested(); });
}

}  // namespace sluice
