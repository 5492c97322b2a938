#include "sluice/fs/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::fs {

namespace {

constexpr mode_t kFileMode = 0666;  // Less what the umask of the process takes away.
constexpr int kAttemptsMax = 100;
constexpr std::size_t kCopyBytes = std::size_t{1} << 20U;
static_assert(kCopyBytes <= kFileReadBytesMax);

Error cannot_write(const std::string& path, int reason) {
  return unavailable(fmt::format("write {}: {}", excerpt(path), std::generic_category().message(reason)))
      .with_code("output_failed");
}

Error exists(const std::string& path) {
  return conflict(fmt::format("the file exists: {}", excerpt(path))).with_code("file_exists");
}

Status check_target(const std::string& path, IfExists if_exists) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0)
    return errno == ENOENT ? Status() : Status(cannot_write(path, errno));
  if (!S_ISREG(status.st_mode))
    return invalid_input(fmt::format("not a regular file: {}", excerpt(path))).with_code("output_failed");
  if (if_exists == IfExists::kRefuse) return exists(path);
  return {};
}

// Moves the file only where nothing has the name yet. Returns 0, or why it could not.
int move_to_new_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system does not know that flag.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

}  // namespace

OutputFile::OutputFile(std::string path, IfExists if_exists, std::string temporary, Descriptor descriptor)
    : path_(std::move(path)),
      if_exists_(if_exists),
      temporary_(std::move(temporary)),
      descriptor_(std::move(descriptor)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      if_exists_(other.if_exists_),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::move(other.descriptor_)) {}

OutputFile::~OutputFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<OutputFile> OutputFile::create(const std::string& path, IfExists if_exists) {
  SLUICE_CHECK(check_target(path, if_exists));
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  // Named so that no listing shows it. A process that had the same id may have left one behind.
  for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
    std::string temporary = (folder / fmt::format(".sluice-{}-{}.tmp", ::getpid(), attempt)).string();
    const int number = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kFileMode);
    if (number >= 0) return OutputFile(path, if_exists, std::move(temporary), Descriptor(number));
    if (errno != EEXIST) break;
  }
  return cannot_write(path, errno);
}

Status OutputFile::copy(const File& from, const std::stop_token& stop) {
  for (std::uint64_t offset = 0;;) {
    if (stop.stop_requested()) return cancelled();
    SLUICE_TRY(const std::string bytes, from.read_at(offset, kCopyBytes));
    if (bytes.empty()) return {};
    offset += bytes.size();
    for (std::string_view rest = bytes; !rest.empty();) {
      const ssize_t written = ::write(descriptor_.number(), rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return cannot_write(path_, errno);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
}

Status OutputFile::commit() {
  if (::fsync(descriptor_.number()) != 0) return cannot_write(path_, errno);
  int failure = 0;
  if (if_exists_ == IfExists::kReplace) {
    failure = ::rename(temporary_.c_str(), path_.c_str()) == 0 ? 0 : errno;
  } else {
    failure = move_to_new_name(temporary_, path_);
  }
  if (failure == EEXIST) return exists(path_);
  if (failure != 0) return cannot_write(path_, failure);
  temporary_.clear();
  return {};
}

}  // namespace sluice::fs
