#include "sluice/fs/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "sluice/base/limits.h"

#include "file_time.h"
#include "os_error.h"

namespace sluice::fs {
namespace {

struct Part {
  std::uint64_t offset = 0;
  std::size_t length = 0;
  std::uint64_t end =
      0;  // Where the file is thought to end: a read that stops there need not be tried again.
};

// Appends a part of the file. Stops early at the end of the file only.
Status read_into(std::string& out, int descriptor, Part part, std::string_view relative_path) {
  auto& [offset, length, end] = part;
  while (length > 0) {
    const std::size_t wanted = std::min(length, kFileReadChunkBytes);
    const std::size_t before = out.size();
    out.resize(before + wanted);
    const ssize_t got = ::pread(descriptor, out.data() + before, wanted, static_cast<off_t>(offset));
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return {};
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return os_error("read file", errno, relative_path);
    offset += static_cast<std::uint64_t>(got);
    length -= static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < wanted && offset == end) return {};
  }
  return {};
}

}  // namespace

File::File(Descriptor descriptor, std::string relative_path, std::uint64_t bytes)
    : descriptor_(std::move(descriptor)), relative_path_(std::move(relative_path)), bytes_(bytes) {}

Result<std::string> File::read_all(std::size_t bytes_max) const {
  SLUICE_TRY(const FileStatus now, status());
  if (now.bytes > bytes_max) return limit_reached("bytes of a file to read", bytes_max);
  std::string bytes;
  bytes.reserve(now.bytes + 1);
  const std::size_t one_more =
      bytes_max < std::numeric_limits<std::size_t>::max() ? bytes_max + 1 : bytes_max;
  SLUICE_CHECK(read_into(bytes, descriptor_.number(), {.offset = 0, .length = one_more, .end = now.bytes},
                         relative_path_));
  if (bytes.size() > bytes_max) return limit_reached("bytes of a file to read", bytes_max);
  return bytes;
}

Result<std::string> File::read_at(std::uint64_t offset, std::size_t length) const {
  if (length > kFileReadBytesMax) return limit_reached("bytes of one read", kFileReadBytesMax);
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()) - length) return std::string();
  std::string bytes;
  SLUICE_CHECK(read_into(bytes, descriptor_.number(), {.offset = offset, .length = length, .end = bytes_},
                         relative_path_));
  return bytes;
}

Result<FileStatus> File::status() const {
  struct stat found {};
  if (::fstat(descriptor_.number(), &found) != 0) return os_error("inspect file", errno, relative_path_);
  return FileStatus{.bytes = static_cast<std::uint64_t>(found.st_size),
                    .modified = modified_time(found),
                    .identity = {.device = found.st_dev, .inode = found.st_ino},
                    .is_private = found.st_uid == ::geteuid() && (found.st_mode & 077) == 0};
}

}  // namespace sluice::fs
