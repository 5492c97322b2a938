#include "sluice/fs/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "os_error.h"

namespace sluice::fs {

namespace {

constexpr std::chrono::microseconds kFirstWait{100};
constexpr std::chrono::microseconds kLongestWait{2'000};

// Whether the locked file is still the one that others find: it may have been removed meanwhile.
bool is_current(const Root& root, std::string_view relative_path, const Descriptor& file) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return false;
  const Result<Entry> entry = root.stat(relative_path);
  return entry.ok() && entry->identity.inode == status.st_ino;
}

}  // namespace

Result<FileLock> FileLock::take(const Root& root, std::string_view relative_path, Monotonic deadline,
                                std::stop_token stop) {
  auto wait = kFirstWait;
  while (true) {
    SLUICE_TRY(Descriptor file,
               root.open_descriptor(relative_path, {.flags = O_RDWR | O_CREAT | O_NONBLOCK, .mode = 0644}));
    while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return os_error("lock", errno, relative_path);
      if (stop.stop_requested()) return cancelled();
      if (system_clock().now() >= deadline)
        return deadline_exceeded().with_code("locked").with_hint("Another program is writing; try again.");
      std::this_thread::sleep_for(wait);
      wait = std::min(wait * 2, kLongestWait);
    }
    if (is_current(root, relative_path, file)) return FileLock(std::move(file));
  }
}

}  // namespace sluice::fs
