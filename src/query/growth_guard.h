#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "sluice/base/background_thread.h"
#include "sluice/fs/root.h"

namespace sluice::query {

// Looks at a file while another writes it, on a thread of its own, and stops the writer when the file has
// grown too large. The engine has no bound for what it writes.
class GrowthGuard {
 public:
  // Told the size of the file, again and again, on the guard's thread. False: the writer has to stop.
  using Allows = std::function<bool(std::uint64_t bytes)>;

  // `folder` must outlive it. `caller` stops the writer as well.
  GrowthGuard(const fs::Root& folder, std::string name, const std::stop_token& caller, Allows allows);
  GrowthGuard(const GrowthGuard&) = delete;
  GrowthGuard& operator=(const GrowthGuard&) = delete;

  std::stop_token stop() const { return writer_.get_token(); }
  bool was_too_large() const { return was_too_large_.load(std::memory_order_acquire); }

 private:
  struct Forward {
    std::stop_source* writer;
    void operator()() const { writer->request_stop(); }
  };
  void look(const std::stop_token& stop);

  const fs::Root& folder_;
  const std::string name_;
  const Allows allows_;
  std::stop_source writer_;
  std::stop_callback<Forward> on_caller_;
  std::atomic<bool> was_too_large_ = false;
  BackgroundThread thread_;  // Last: it ends before the rest goes.
};

}  // namespace sluice::query
