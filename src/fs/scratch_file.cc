#include "sluice/fs/scratch_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os_error.h"

namespace sluice::fs {

Status ScratchFile::open(const std::string& folder) {
  ::mkdir(folder.c_str(), S_IRWXU);
  descriptor_ = Descriptor(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!is_open()) return os_error("make scratch file", errno, "");
  return {};
}

Status ScratchFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return os_error("write scratch file", errno, "");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Status ScratchFile::read(std::uint64_t from, char* to, std::size_t size) const {
  while (size > 0) {
    const ssize_t got = ::pread(descriptor_.number(), to, size, static_cast<off_t>(from));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read scratch file", errno, "");
    if (got == 0) return internal_error("read scratch file: it ends before");
    from += static_cast<std::uint64_t>(got);
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace sluice::fs
