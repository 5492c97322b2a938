#include "sluice/fs/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "os_error.h"

namespace sluice::fs {

namespace {

constexpr std::chrono::milliseconds kFolderLockWait{2};

}  // namespace

Result<FolderLock> FolderLock::take(const Root& root, Monotonic deadline) {
  SLUICE_TRY(Descriptor folder, root.open_descriptor("", {.flags = O_RDONLY | O_DIRECTORY, .mode = 0}));
  while (::flock(folder.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return os_error("lock", errno, "");
    if (system_clock().now() >= deadline)
      return deadline_exceeded().with_code("locked").with_hint("Another program is writing; try again.");
    std::this_thread::sleep_for(kFolderLockWait);
  }
  return FolderLock(std::move(folder));
}

}  // namespace sluice::fs
