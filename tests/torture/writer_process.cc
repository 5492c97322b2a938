#include "writer_process.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <sstream>

#include <gtest/gtest.h>

#ifdef __SANITIZE_THREAD__
// DuckDB's allocator takes all of its locks before a fork, which are more than the detector of deadlocks can
// count; it would end this program. The writers themselves keep it.
extern "C" const char* __tsan_default_options() { return "detect_deadlocks=0"; }
#endif

namespace sluice::records::testing {

WriterProcess::WriterProcess(const std::string& folder, unsigned seed, int operations,
                             std::optional<unsigned> kill_step) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const std::string seed_text = std::to_string(seed);
  const std::string operations_text = std::to_string(operations);
  const std::string step_text = kill_step ? std::to_string(*kill_step) : "";
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    ::execl(RECORD_WRITER, RECORD_WRITER, folder.c_str(), seed_text.c_str(), operations_text.c_str(),
            kill_step ? step_text.c_str() : nullptr, nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

WriterProcess::~WriterProcess() {
  if (process_ > 0) {
    kill();
    wait();
  }
  ::close(pipe_);
}

bool WriterProcess::read_some() {
  char buffer[4096];
  ssize_t size = -1;
  do {
    size = ::read(pipe_, buffer, sizeof(buffer));
  } while (size < 0 && errno == EINTR);
  if (size <= 0) return false;
  text_.append(buffer, static_cast<std::size_t>(size));
  for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
    std::istringstream line(text_.substr(0, end));
    text_.erase(0, end + 1);
    std::string mark;
    line >> mark;
    if (mark == "ready") is_ready_ = true;
    if (mark == "?") {
      Spoken& next = spoken_.emplace_back();
      line >> next.kind >> next.id >> next.value;
    }
    if (mark == "!") line >> spoken_.back().audit_id;
  }
  return true;
}

void WriterProcess::wait_until_ready() {
  while (!is_ready_ && read_some()) {
  }
  EXPECT_TRUE(is_ready_);
}

void WriterProcess::listen_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    const timespec patience{.tv_sec = left.count() / 1'000'000'000, .tv_nsec = left.count() % 1'000'000'000};
    pollfd waited{.fd = pipe_, .events = POLLIN, .revents = 0};
    const int ready = ::ppoll(&waited, 1, &patience, nullptr);
    if (ready == 0 || (ready > 0 && !read_some())) return;
  }
}

void WriterProcess::kill() { ::kill(process_, SIGKILL); }

bool WriterProcess::wait() {
  while (read_some()) {
  }
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) != 0) << "the writer failed";
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace sluice::records::testing
