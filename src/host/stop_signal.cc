#include "stop_signal.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace sluice::host {
namespace {

std::atomic<int> g_descriptor{-1};  // Where the handler writes; a signal handler can reach nothing else.

// What is added to the counter of the descriptor tells what has happened.
constexpr std::uint64_t kRaise = 1;
constexpr std::uint64_t kInterrupt = std::uint64_t{1} << 16U;
constexpr std::uint64_t kTerminate = std::uint64_t{1} << 32U;

void on_signal(int signal) {
  const int saved = errno;
  const std::uint64_t what = signal == SIGTERM ? kTerminate : kInterrupt;
  [[maybe_unused]] const ssize_t written = ::write(g_descriptor.load(), &what, sizeof what);
  errno = saved;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  g_descriptor = descriptor_;
  handle(SIGTERM, on_signal);
  handle(SIGINT, on_signal);
  handle(SIGPIPE, SIG_IGN);
}

StopSignal::~StopSignal() {
  handle(SIGTERM, SIG_DFL);
  handle(SIGINT, SIG_DFL);
  g_descriptor = -1;
  ::close(descriptor_);
}

StopSignal::Cause StopSignal::wait() {
  pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
  while (::poll(&wanted, 1, -1) < 0 && errno == EINTR) {
  }
  handle(SIGTERM, SIG_DFL);
  handle(SIGINT, SIG_DFL);
  std::uint64_t sum = 0;
  [[maybe_unused]] const ssize_t bytes = ::read(descriptor_, &sum, sizeof sum);
  if (sum >= kTerminate) return Cause::kTerminated;
  return sum >= kInterrupt ? Cause::kInterrupted : Cause::kRaised;
}

void StopSignal::raise() {
  [[maybe_unused]] const ssize_t written = ::write(descriptor_, &kRaise, sizeof kRaise);
}

}  // namespace sluice::host
