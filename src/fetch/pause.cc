#include "sluice/fetch/pause.h"

#include "sluice/base/sleep.h"

namespace sluice::fetch {

namespace {

class SystemPause final : public Pause {
 public:
  Status wait(std::chrono::milliseconds time, std::stop_token stop) override {
    if (!sleep_unless_stopped(time, stop)) return cancelled();
    return {};
  }
};

}  // namespace

Pause& system_pause() {
  static SystemPause pause;
  return pause;
}

}  // namespace sluice::fetch
