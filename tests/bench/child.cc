#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "measurement.h"

namespace bench {
namespace {

// In the child, between vfork and exec: nothing but system calls.
[[noreturn]] void become(char* const* command, int cpu, int input, int output) {
  if (cpu >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<unsigned>(cpu), &set);
    ::sched_setaffinity(0, sizeof set, &set);
  }
  ::dup2(input, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::execvp(command[0], command);
  ::_exit(127);
}

}  // namespace

Child::Child(char* const* command, int cpu) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0) give_up("create pipes");
  ::signal(SIGPIPE, SIG_IGN);
  pid_ = ::vfork();
  if (pid_ == 0) become(command, cpu, to[0], from[1]);
  if (pid_ < 0) give_up(std::string("start the server: ") + std::strerror(errno));
  ::close(to[0]);
  ::close(from[1]);
  input_ = to[1];
  output_ = from[0];
}

Child::~Child() {
  ::close(input_);
  constexpr int kEndMs = 5'000;
  const int end = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  pollfd ended{.fd = end, .events = POLLIN, .revents = 0};
  if (end < 0 || ::poll(&ended, 1, kEndMs) <= 0) ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::close(end);
  ::close(output_);
}

void Child::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::write(input_, bytes.data(), bytes.size());
    if (count <= 0) give_up(std::string("write to the server: ") + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Child::read(std::string& into) const {
  const auto patience_ms =
      static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(Plan::kPatience).count());
  pollfd wanted{.fd = output_, .events = POLLIN, .revents = 0};
  if (::poll(&wanted, 1, patience_ms) <= 0) give_up("no answer for too long");
  std::array<char, 64 * 1024> chunk{};
  const ssize_t count = ::read(output_, chunk.data(), chunk.size());
  if (count <= 0) give_up("the server ended without an answer");
  into.append(chunk.data(), static_cast<std::size_t>(count));
}

}  // namespace bench
