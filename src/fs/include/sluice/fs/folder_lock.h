#pragma once

#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

// The right to change something in a folder, held by one holder among all processes and threads that ask for
// the same folder. It needs no file of its own. Given back by the destructor, and by the system when the
// process ends.
class FolderLock {
 public:
  // Waits until the deadline: kDeadline, code `locked`.
  static Result<FolderLock> take(const Root& root, Monotonic deadline);

 private:
  explicit FolderLock(Descriptor folder) : folder_(std::move(folder)) {}

  Descriptor folder_;
};

}  // namespace sluice::fs
