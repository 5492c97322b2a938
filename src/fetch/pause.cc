#include "sluice/fetch/pause.h"

#include <condition_variable>
#include <mutex>

namespace sluice::fetch {

namespace {

class SystemPause final : public Pause {
 public:
  Status wait(std::chrono::milliseconds time, std::stop_token stop) override {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    if (stopped.wait_for(lock, stop, time, [&stop] { return stop.stop_requested(); })) return cancelled();
    return {};
  }
};

}  // namespace

Pause& system_pause() {
  static SystemPause pause;
  return pause;
}

}  // namespace sluice::fetch
