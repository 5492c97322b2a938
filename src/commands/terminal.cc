#include "terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace sluice::commands {

namespace {

constexpr std::size_t kUsualWidth = 80;

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::size_t terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualWidth;
  return std::max<std::size_t>(2, size.ws_col);
}

}  // namespace sluice::commands
