// Starts a server and takes the time of its answers, so that the client's runtime is no part of it.
//
//   bench_stopwatch COMMAND…
//
// Writes the server's process id, then passes lines on: those of its input to the server, those of the server
// to its output, each behind the nanoseconds since the last line for the server was written.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "child.h"
#include "measurement.h"

namespace {

using bench::Clock;

// False at the end of the input.
bool read_input(std::string& into) {
  std::array<char, 64 * 1024> chunk{};
  const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
  if (count > 0) into.append(chunk.data(), static_cast<std::size_t>(count));
  return count > 0;
}

class Stopwatch {
 public:
  explicit Stopwatch(char* const* command) : child_(command, -1) {
    std::printf("%d\n", child_.pid());
    std::fflush(stdout);
  }

  void run() {
    std::array<pollfd, 2> ready{{{STDIN_FILENO, POLLIN, 0}, {child_.output(), POLLIN, 0}}};
    while (::poll(ready.data(), ready.size(), -1) > 0) {
      if (ready[1].revents != 0) take_answers();
      if (ready[0].revents != 0 && !take_requests()) return;
    }
  }

 private:
  bool take_requests() {
    if (!read_input(requests_)) return false;
    const std::size_t end = requests_.rfind('\n') + 1;  // 0 while there is no whole line.
    if (end == 0) return true;
    begin_ = Clock::now();
    child_.write(std::string_view(requests_).substr(0, end));
    requests_.erase(0, end);
    return true;
  }

  void take_answers() {
    const std::size_t had = answers_.size();
    child_.read(answers_);
    if (answers_.find('\n', had) == std::string::npos) return;
    const std::chrono::nanoseconds time = Clock::now() - begin_;
    std::size_t from = 0;
    for (std::size_t end; (end = answers_.find('\n', from)) != std::string::npos; from = end + 1) {
      std::printf("%lld ", static_cast<long long>(time.count()));
      std::fwrite(answers_.data() + from, 1, end + 1 - from, stdout);
    }
    std::fflush(stdout);
    answers_.erase(0, from);
  }

  const bench::Child child_;
  Clock::time_point begin_ = Clock::now();
  std::string requests_;
  std::string answers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) bench::give_up("usage: bench_stopwatch COMMAND...");
  Stopwatch(argv + 1).run();
  return 0;
}
