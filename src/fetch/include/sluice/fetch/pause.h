#pragma once

#include <chrono>
#include <stop_token>

#include "sluice/base/result.h"

namespace sluice::fetch {

// How whoever has to wait does it. Passed in, so that tests need no time.
class Pause {
 public:
  virtual ~Pause() = default;
  // kCancelled where a stop is requested meanwhile.
  virtual Status wait(std::chrono::milliseconds time, std::stop_token stop) = 0;
};

// Really waits. Any thread; lives as long as the program.
Pause& system_pause();

}  // namespace sluice::fetch
