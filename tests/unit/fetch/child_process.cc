#include "child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <utility>

extern char** environ;

namespace sluice::fetch::testing {

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions{};
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failed = ::posix_spawnp(&id_, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ends[0];
  if (failed != 0) throw std::runtime_error("cannot start " + command.at(0));
}

ChildProcess::~ChildProcess() {
  if (id_ > 0) {
    ::kill(id_, SIGKILL);
    wait();
  }
  ::close(output_);
}

std::string ChildProcess::read_behind(const std::string& text) {
  while (true) {
    const std::size_t found = read_.find(text);
    const std::size_t end = found == std::string::npos ? found : read_.find('\n', found);
    if (end != std::string::npos) return read_.substr(found + text.size(), end - found - text.size());
    pollfd waiting{.fd = output_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 10'000) <= 0) return "";
    char bytes[512];
    const ssize_t count = ::read(output_, bytes, sizeof(bytes));
    if (count <= 0) return "";
    read_.append(bytes, static_cast<std::size_t>(count));
  }
}

int ChildProcess::wait() {
  int status = 0;
  ::waitpid(std::exchange(id_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace sluice::fetch::testing
