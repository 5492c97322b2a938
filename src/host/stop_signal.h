#pragma once

namespace sluice::host {

// SIGTERM and SIGINT, as something to wait for. SIGPIPE is ignored: a peer that goes away is an error of a
// write.
class StopSignal {
 public:
  StopSignal();   // One at a time in a process.
  ~StopSignal();  // Restores the default signal handlers.
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Blocks until a signal or `raise`.
  void wait();
  void raise();  // Any thread.

 private:
  int descriptor_;
};

}  // namespace sluice::host
