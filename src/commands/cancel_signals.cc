#include "cancel_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "sluice/base/clock.h"

namespace sluice::commands {

namespace {

// How long the work may take to end after the first signal. An output that nobody reads can block it forever.
constexpr std::chrono::milliseconds kGrace{1'500};
constexpr int kSignalStatus = 128;  // Of a shell: this and the number of the signal.

sigset_t cancelling() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

int time_left(Monotonic deadline) {
  if (deadline == Monotonic::max()) return -1;
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - system_clock().now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

}  // namespace

CancelSignals::CancelSignals() {
  const sigset_t set = cancelling();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  signals_ = fs::Descriptor(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  end_ = fs::Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  thread_ = std::thread([this] { run(); });
}

CancelSignals::~CancelSignals() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(end_.number(), &one, sizeof one);
  thread_.join();
  const sigset_t set = cancelling();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void CancelSignals::remove_at_exit(const std::string& path) {
  const MutexLock lock(mutex_);
  paths_.push_back(path);
}

void CancelSignals::leave() {
  const MutexLock lock(mutex_);
  std::error_code ignored;
  for (const std::string& path : paths_) std::filesystem::remove_all(path, ignored);
  ::_exit(exit_status_);
}

void CancelSignals::run() {
  Monotonic deadline = Monotonic::max();
  while (true) {
    std::array<pollfd, 2> wanted{pollfd{.fd = signals_.number(), .events = POLLIN, .revents = 0},
                                 pollfd{.fd = end_.number(), .events = POLLIN, .revents = 0}};
    const int ready = ::poll(wanted.data(), wanted.size(), time_left(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (wanted[1].revents != 0 || ready < 0) return;
    if (ready == 0) leave();
    signalfd_siginfo arrived{};
    if (::read(signals_.number(), &arrived, sizeof arrived) != static_cast<ssize_t>(sizeof arrived)) continue;
    if (exit_status_ != 0) leave();
    exit_status_ = kSignalStatus + static_cast<int>(arrived.ssi_signo);
    deadline = system_clock().now() + kGrace;
    source_.request_stop();
  }
}

}  // namespace sluice::commands
