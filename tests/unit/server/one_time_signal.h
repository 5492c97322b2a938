#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace sluice::server::testing {

// How long a test waits for what must happen. Reached only by a test that fails.
// For a loaded machine, and for sanitizers, which slow the engine tenfold.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr std::chrono::milliseconds kPatience{120'000};
#else
inline constexpr std::chrono::milliseconds kPatience{60'000};
#endif

// Something that happens once, waited for by another thread.
class Signal {
 public:
  void set() {
    const std::scoped_lock lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  // False: it did not happen in time.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [this] { return set_; });
  }
  // False: stop was requested first, or neither happened in time.
  bool wait(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::move(stop), kPatience, [this] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool set_ = false;
};

}  // namespace sluice::server::testing
