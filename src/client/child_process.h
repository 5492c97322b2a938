#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>

#include "sluice/base/result.h"
#include "sluice/client/target.h"
#include "sluice/fs/descriptor.h"

namespace sluice::client {

// A child process with pipes to its standard input, output and error, in a process group of its own.
class ChildProcess {
 public:
  // The thread that starts it must live for as long as the child: the kernel ends the child when that thread
  // ends, and so also when this process is killed. Errors: command_not_found, server_not_started.
  static Result<std::unique_ptr<ChildProcess>> start(const Command& command);
  ~ChildProcess();  // end({}).
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  int input() const { return input_.number(); }    // A socket, for writing.
  int output() const { return output_.number(); }  // Both do not block.
  int errors() const { return errors_.number(); }
  int exit_signal() const { return handle_.number(); }  // Readable once the child has ended.

  // Closes its input, waits for `grace`, asks its group to end, waits again, kills the group. What it still
  // writes is read and dropped. The child and its group are gone when this returns.
  void end(std::chrono::milliseconds grace);

 private:
  ChildProcess() = default;
  bool wait_for_exit(std::chrono::milliseconds at_most);

  pid_t id_ = -1;
  fs::Descriptor handle_;  // Names the process for sure, whatever becomes of its number.
  fs::Descriptor input_;
  fs::Descriptor output_;
  fs::Descriptor errors_;
};

}  // namespace sluice::client
