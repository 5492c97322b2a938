#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"

namespace sluice::fs {

// Which file it is, whatever it is called: a replaced file has another identity.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};

struct FileStatus {
  std::uint64_t bytes = 0;
  WallTime modified;
  FileIdentity identity;
  bool is_private = false;  // Of this user, and nobody else may read or write it.
};

// A regular file that is open for reading. Its methods may be called from any thread; none moves a position
// that another sees. Messages name it by the path it was opened with, relative to its folder.
class File {
 public:
  // `bytes` is the size it has now.
  File(Descriptor descriptor, std::string relative_path, std::uint64_t bytes);

  // The whole file, or kLimitReached where it has more than `bytes_max` bytes. The bound acts while reading:
  // a file that grows meanwhile cannot pass it.
  Result<std::string> read_all(std::size_t bytes_max) const;

  // Up to `length` bytes from `offset`; fewer only where the file ends. At most kFileReadBytesMax at once.
  Result<std::string> read_at(std::uint64_t offset, std::size_t length) const;

  Result<FileStatus> status() const;
  std::uint64_t bytes_when_opened() const { return bytes_; }

  int descriptor() const { return descriptor_.number(); }  // Still owned by this.

 private:
  Descriptor descriptor_;
  std::string relative_path_;
  std::uint64_t bytes_;
};

}  // namespace sluice::fs
