#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sluice::fetch::testing {

// A program that runs as long as the test wants it to. Its output is read here.
class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();  // Ends it.
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Reads on until the output has `text`: the rest of that line. "" where it ends before, or in ten seconds.
  std::string read_behind(const std::string& text);
  int wait();  // For its own end: the exit code.

 private:
  pid_t id_ = -1;
  int output_ = -1;
  std::string read_;
};

}  // namespace sluice::fetch::testing
