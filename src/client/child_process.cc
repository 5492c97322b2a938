#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/clock.h"
#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/base/text.h"

namespace sluice::client {
namespace {

struct Pair {
  fs::Descriptor ours;
  fs::Descriptor theirs;
};

Error not_started(std::string_view what) {
  return unavailable(fmt::format("start a server: {}: {}", what, std::strerror(errno)))
      .with_code("server_not_started");
}

// Above the three standard ones, which the child's own are put upon.
Result<fs::Descriptor> lifted(int number) {
  const fs::Descriptor low(number);
  const int high = ::fcntl(number, F_DUPFD_CLOEXEC, 3);
  if (high < 0) return not_started("descriptors");
  return fs::Descriptor(high);
}

Result<Pair> make_pair(int ours, int theirs) {
  Pair pair;
  SLUICE_TRY(pair.ours, lifted(ours));
  SLUICE_TRY(pair.theirs, lifted(theirs));
  return pair;
}

// A socket, because a write to it can be told not to raise SIGPIPE; a library does not own that signal.
Result<Pair> make_input() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return not_started("sockets");
  return make_pair(ends[0], ends[1]);
}

Result<Pair> make_output() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started("pipes");
  SLUICE_TRY(Pair pair, make_pair(ends[0], ends[1]));
  if (::fcntl(pair.ours.number(), F_SETFL, O_NONBLOCK) != 0) return not_started("pipes");
  return pair;
}

// Where the program is. Only the environment that the child is given counts.
Result<std::string> find_program(const Command& command) {
  const auto missing = [&] {
    return not_found(fmt::format("start a server: no such program: {}", excerpt(command.program)))
        .with_code("command_not_found")
        .with_hint("give the path of the program, or a PATH in which it is found");
  };
  if (command.program.empty()) return missing();
  if (command.program.find('/') != std::string::npos) {
    if (::access(command.program.c_str(), X_OK) != 0) return missing();
    return command.program;
  }
  const auto given = command.environment.find("PATH");
  std::string_view path =
      given == command.environment.end() ? "/usr/local/bin:/usr/bin:/bin" : std::string_view(given->second);
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    if (folder.empty()) continue;
    std::string candidate = fmt::format("{}/{}", folder, command.program);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return missing();
}

// All that the child needs, made before the fork: after it nothing may allocate.
struct Plan {
  std::string program;
  std::vector<std::string> texts;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  const char* folder = nullptr;
  std::array<int, 3> streams{};
  int failure = -1;
  pid_t parent = -1;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Runs in the child. Only what is safe after a fork of one of many threads.
[[noreturn]] void become(const Plan& plan) {
  const auto give_up = [&] {
    const int reason = errno;
    [[maybe_unused]] const ssize_t written = ::write(plan.failure, &reason, sizeof reason);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // It died before it could be asked to tell.
  for (int i = 0; i < 3; ++i) {
    if (::dup2(plan.streams[static_cast<std::size_t>(i)], i) < 0) give_up();
  }
  ::close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (plan.folder != nullptr && ::chdir(plan.folder) != 0) give_up();
  ::execve(plan.program.c_str(), plan.arguments.data(), plan.environment.data());
  give_up();
  ::_exit(127);
}

Result<pid_t> run(const Plan& plan, Pair& failure) {
  const pid_t child = ::fork();
  if (child < 0) return not_started("a process");
  if (child == 0) become(plan);
  ::setpgid(child, child);  // Whoever comes first; both mean the same.
  failure.theirs = fs::Descriptor();
  int reason = 0;
  ssize_t count = 0;
  do {
    count = ::read(failure.ours.number(), &reason, sizeof reason);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return child;  // Closed by the kernel: the program runs.
  ::waitpid(child, nullptr, 0);
  errno = reason;
  return not_started("the program cannot be run");
}

Status check_texts(const Command& command) {
  if (command.arguments.size() > kChildArgumentsMax)
    return limit_reached("arguments of a command", kChildArgumentsMax);
  const auto has_nul = [](std::string_view text) { return text.find('\0') != std::string_view::npos; };
  bool bad = has_nul(command.program) || has_nul(command.folder);
  for (const std::string& argument : command.arguments) bad = bad || has_nul(argument);
  for (const auto& [name, value] : command.environment)
    bad = bad || has_nul(name) || has_nul(value) || name.empty() || name.find('=') != std::string::npos;
  if (bad) return invalid_input("a command has a NUL, or a name in its environment that cannot be");
  return {};
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(const Command& command) {
  SLUICE_CHECK(check_texts(command));
  Plan plan;
  SLUICE_TRY(plan.program, find_program(command));
  SLUICE_TRY(Pair input, make_input());
  SLUICE_TRY(Pair output, make_output());
  SLUICE_TRY(Pair errors, make_output());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return not_started("pipes");
  SLUICE_TRY(Pair failure, make_pair(ends[0], ends[1]));
  std::vector<std::string> arguments{command.program};
  arguments.insert(arguments.end(), command.arguments.begin(), command.arguments.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : command.environment)
    environment.push_back(fmt::format("{}={}", name, value));
  plan.arguments = pointers(arguments);
  plan.environment = pointers(environment);
  plan.folder = command.folder.empty() ? nullptr : command.folder.c_str();
  plan.streams = {input.theirs.number(), output.theirs.number(), errors.theirs.number()};
  plan.failure = failure.theirs.number();
  plan.parent = ::getpid();
  SLUICE_TRY(const pid_t id, run(plan, failure));
  std::unique_ptr<ChildProcess> child(new ChildProcess());
  child->id_ = id;
  child->handle_ = fs::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, id, 0)));
  child->input_ = std::move(input.ours);
  child->output_ = std::move(output.ours);
  child->errors_ = std::move(errors.ours);
  if (!child->handle_.is_open()) return not_started("a handle of the process");
  return child;
}

ChildProcess::~ChildProcess() { end(std::chrono::milliseconds{0}); }

bool ChildProcess::wait_for_exit(std::chrono::milliseconds at_most) {
  const auto by = system_clock().now() + at_most;
  std::array<char, 4096> dropped{};
  std::array<pollfd, 3> wanted{pollfd{.fd = handle_.number(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = output_.number(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = errors_.number(), .events = POLLIN, .revents = 0}};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(by - system_clock().now());
    if (handle_.is_open() &&
        ::poll(wanted.data(), wanted.size(), std::max(0, static_cast<int>(left.count()))) < 0 &&
        errno != EINTR)
      return false;
    if (!handle_.is_open() || (wanted[0].revents & POLLIN) != 0) return true;
    for (std::size_t i = 1; i < wanted.size(); ++i) {
      if (wanted[i].revents == 0) continue;
      if (::read(wanted[i].fd, dropped.data(), dropped.size()) == 0)
        wanted[i].fd = -1;  // Ended: look no more.
    }
    if (system_clock().now() >= by) return false;
  }
}

void ChildProcess::end(std::chrono::milliseconds grace) {
  if (id_ < 0) return;
  ::shutdown(input_.number(), SHUT_WR);  // Not closed: somebody may be about to write to it.
  if (!wait_for_exit(grace)) {
    ::kill(-id_, SIGTERM);
    wait_for_exit(grace);
  }
  // Until it is waited for, the number is still its own, and so is that of its group.
  ::kill(-id_, SIGKILL);
  if (!wait_for_exit(kChildReapTimeout)) log::error("client.child_stays", {{"pid", id_}});
  ::waitpid(id_, nullptr, WNOHANG);
  id_ = -1;
}

}  // namespace sluice::client
