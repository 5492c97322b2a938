#pragma once

#include <chrono>
#include <string>

namespace sluice {

using Monotonic = std::chrono::steady_clock::time_point;
using WallTime = std::chrono::system_clock::time_point;

// The only way to the time of day. Implementations may be called from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Monotonic now() const = 0;
  virtual WallTime wall() const = 0;
};

// The machine's own clock; lives as long as the program.
const Clock& system_clock();

// "2026-11-15T10:33:00.123Z".
std::string format_utc(WallTime time);

}  // namespace sluice
