#pragma once

#include <stop_token>
#include <string_view>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

// The right to change something, held by one holder among all processes and threads that ask for the same
// file beneath a folder. The file is made where it does not exist. Given back by the destructor, and by the
// system when the process ends, however it ends.
class FileLock {
 public:
  // Waits until the deadline: kDeadline, code `locked`.
  static Result<FileLock> take(const Root& root, std::string_view relative_path, Monotonic deadline,
                               std::stop_token stop = {});

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

}  // namespace sluice::fs
