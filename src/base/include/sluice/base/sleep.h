#pragma once

#include <chrono>
#include <stop_token>

namespace sluice {

// Waits for `time`, or until a stop is requested. False: a stop was requested, before or meanwhile.
bool sleep_unless_stopped(std::chrono::nanoseconds time, const std::stop_token& stop);

}  // namespace sluice
