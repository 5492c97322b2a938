#pragma once

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/fs/descriptor.h"

namespace sluice::commands {

// While it lives, SIGINT, SIGTERM and SIGHUP request a stop instead of ending the process. A second signal,
// or work that does not end shortly after the first, removes what was registered and ends the process. Make
// it before other threads begin: they inherit that the signals are blocked. SIGPIPE is ignored from then on.
class CancelSignals {
 public:
  CancelSignals();
  ~CancelSignals();
  CancelSignals(const CancelSignals&) = delete;
  CancelSignals& operator=(const CancelSignals&) = delete;

  std::stop_token stop() const { return source_.get_token(); }
  // The status of a process that ends because of the signal; 0: none has come.
  int exit_status() const { return exit_status_; }
  // A file or folder that must not outlive the process. One that does not exist is fine.
  void remove_at_exit(const std::string& path);

 private:
  void run();
  [[noreturn]] void leave();

  std::stop_source source_;
  std::atomic<int> exit_status_{0};
  Mutex mutex_;
  std::vector<std::string> paths_ SLUICE_GUARDED_BY(mutex_);
  fs::Descriptor signals_;
  fs::Descriptor end_;  // Readable once this is being destroyed.
  std::thread thread_;
};

}  // namespace sluice::commands
