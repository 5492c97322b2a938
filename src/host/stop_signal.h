#pragma once

#include <cstdint>

namespace sluice::host {

// SIGTERM and SIGINT, as something to wait for. SIGPIPE is ignored: a peer that goes away is an error of a
// write.
class StopSignal {
 public:
  StopSignal();   // One at a time in a process.
  ~StopSignal();  // Restores the default signal handlers.
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  enum class Cause : std::uint8_t { kTerminated, kInterrupted, kRaised };  // SIGTERM, SIGINT, or `raise`.
  // Blocks until a signal or `raise`. From then on the signals have their default handlers: another one ends
  // the process.
  Cause wait();
  void raise();  // Any thread.

 private:
  int descriptor_;
};

}  // namespace sluice::host
