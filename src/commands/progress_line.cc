#include "progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "terminal.h"

namespace sluice::commands {

namespace {

constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::string_view kErase = "\r\x1b[K";  // To the beginning of the line, and empty it.
constexpr std::size_t kBarColumns = 30;

void write_to_terminal(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::string progress_text(double percentage, std::chrono::milliseconds elapsed, std::size_t width) {
  constexpr std::array kFrames = {'|', '/', '-', '\\'};
  const auto ticks = static_cast<std::size_t>(elapsed / kInterval);
  std::string out;
  if (percentage >= 0) {
    const double share = std::min(percentage, 100.0) / 100;
    const auto done = static_cast<std::size_t>(share * static_cast<double>(kBarColumns));
    out = fmt::format("[{}{}] {:3.0f} %", std::string(done, '#'), std::string(kBarColumns - done, '.'),
                      share * 100);
  } else {
    out = kFrames[ticks % kFrames.size()];
  }
  const double seconds = static_cast<double>(elapsed.count()) / 1'000;
  out += fmt::format(" {:.1f} s, Ctrl-C cancels", seconds);
  return out.substr(0, width);
}

ProgressLine::ProgressLine(Shown shown) {
  if (shown == Shown::kWhenSlow)
    thread_ = BackgroundThread("progress-line", [this](const std::stop_token& stop) { run(stop); });
}

ProgressLine::~ProgressLine() {
  if (!thread_.is_started()) return;
  thread_.end();
  const MutexLock lock(mutex_);
  erase();
}

void ProgressLine::erase() {
  if (is_drawn_) write_to_terminal(kErase);
  is_drawn_ = false;
}

void ProgressLine::pause() {
  const MutexLock lock(mutex_);
  is_paused_ = true;
  erase();
}

void ProgressLine::resume() {
  const MutexLock lock(mutex_);
  is_paused_ = false;
}

void ProgressLine::run(const std::stop_token& stop) {
  const MutexLock lock(mutex_);
  changed_.wait_for(mutex_, stop, kPatience, [] { return false; });
  while (!stop.stop_requested()) {
    if (!is_paused_) {
      const auto elapsed =
          std::chrono::duration_cast<std::chrono::milliseconds>(system_clock().now() - began_);
      // A line that fills the last column would wrap.
      const std::size_t width = terminal_width(STDERR_FILENO) - 1;
      write_to_terminal(std::string(kErase) + progress_text(percentage_, elapsed, width));
      is_drawn_ = true;
    }
    changed_.wait_for(mutex_, stop, kInterval, [] { return false; });
  }
}

}  // namespace sluice::commands
