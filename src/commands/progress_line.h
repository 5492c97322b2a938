#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>

#include "sluice/base/background_thread.h"
#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"

namespace sluice::commands {

// A bar where the percentage is known (0 to 100), otherwise something that moves; and the time that has
// passed. At most `width` columns.
std::string progress_text(double percentage, std::chrono::milliseconds elapsed, std::size_t width);

// A line on the terminal of standard error while something takes longer than half a second. Any thread.
class ProgressLine {
 public:
  enum class Shown : bool { kNever, kWhenSlow };
  explicit ProgressLine(Shown shown);
  ~ProgressLine();  // Removes the line.
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Where the percentage is written; negative: not known.
  std::atomic<double>* percentage() { return &percentage_; }

  // Removes the line while others write to the same terminal, until `resume`.
  void pause();
  void resume();

 private:
  void run(const std::stop_token& stop);
  void erase() SLUICE_REQUIRES(mutex_);

  const Monotonic began_ = system_clock().now();
  std::atomic<double> percentage_{-1};
  Mutex mutex_;  // Held while the terminal is written to.
  CondVar changed_;
  bool is_paused_ SLUICE_GUARDED_BY(mutex_) = false;
  bool is_drawn_ SLUICE_GUARDED_BY(mutex_) = false;
  BackgroundThread thread_;  // None if it is never shown.
};

}  // namespace sluice::commands
