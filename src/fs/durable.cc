#include "sluice/fs/durable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/fs/fault.h"

#include "folder_stream.h"
#include "os_error.h"
#include "relative_path.h"

namespace sluice::fs {
namespace {

constexpr std::string_view kTemporaryPrefix = ".sluice-";
constexpr std::string_view kTemporarySuffix = ".tmp";
constexpr mode_t kNewFileMode = 0644;
constexpr mode_t kPrivateFileMode = 0600;

enum class Readers { kAsBefore, kOwner };

// The steps below return 0 or an errno: what failed is the same for every step, so the callers say it once.
int write_some(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

struct WritePoints {
  FaultPoint write;
  FaultPoint half_write;
  FaultPoint sync;
};
constexpr WritePoints kReplacePoints = {FaultPoint::kReplaceWrite, FaultPoint::kReplaceHalfWrite,
                                        FaultPoint::kReplaceSyncFile};
constexpr WritePoints kAppendPoints = {FaultPoint::kAppendWrite, FaultPoint::kAppendHalfWrite,
                                       FaultPoint::kAppendSyncFile};

int write_and_sync(int descriptor, std::string_view bytes, const WritePoints& points) {
  const std::size_t half = bytes.size() / 2;
  if (const int code = injected_error(points.write)) return code;
  if (const int code = write_some(descriptor, bytes.substr(0, half))) return code;
  if (const int code = injected_error(points.half_write)) return code;
  if (const int code = write_some(descriptor, bytes.substr(half))) return code;
  if (const int code = injected_error(points.sync)) return code;
  return errno_of(::fsync(descriptor));
}

int sync_folder(int folder, FaultPoint point) {
  if (const int code = injected_error(point)) return code;
  return errno_of(::fsync(folder));
}

// A new, empty file in `folder` that is unlinked again unless it is kept.
class TemporaryFile {
 public:
  explicit TemporaryFile(int folder) : folder_(folder) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_.is_open() && !kept_) ::unlinkat(folder_, name_.c_str(), 0);
  }

  int create(mode_t mode) {
    if (const int code = injected_error(FaultPoint::kReplaceCreate)) return code;
    static std::atomic<unsigned> counter{0};
    for (std::size_t attempt = 0; attempt < kTemporaryNamesMax; ++attempt) {
      // Another machine that shares the folder may have our process number, hence the attempts.
      name_ = fmt::format("{}{}-{}{}", kTemporaryPrefix, ::getpid(), counter++, kTemporarySuffix);
      constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
      descriptor_ = Descriptor(::openat(folder_, name_.c_str(), kFlags, mode));
      if (descriptor_.is_open()) return 0;
      if (errno != EEXIST) return errno;
    }
    return EEXIST;
  }

  // The new file may be read and written by whom the old one could.
  int take_mode_of(const std::string& name) {
    struct stat old {};
    if (::fstatat(folder_, name.c_str(), &old, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(old.st_mode)) return EISDIR;
    return S_ISREG(old.st_mode) ? errno_of(::fchmod(descriptor_.number(), old.st_mode & 07777)) : 0;
  }

  int rename_to(const std::string& name) {
    if (const int code = injected_error(FaultPoint::kReplaceRename)) return code;
    const int code = errno_of(::renameat(folder_, name_.c_str(), folder_, name.c_str()));
    kept_ = code == 0;
    return code;
  }

  int descriptor() const { return descriptor_.number(); }

 private:
  int folder_;  // The caller's.
  std::string name_;
  Descriptor descriptor_;
  bool kept_ = false;
};

Result<Descriptor> open_folder(const Root& root, std::string_view relative_folder) {
  return root.open_descriptor(relative_folder, {.flags = O_RDONLY | O_DIRECTORY, .mode = 0});
}

int replace_in(int folder, const std::string& name, std::string_view bytes, Readers readers) {
  TemporaryFile file(folder);
  const bool is_private = readers == Readers::kOwner;
  if (const int code = file.create(is_private ? kPrivateFileMode : kNewFileMode)) return code;
  if (!is_private) {
    if (const int code = file.take_mode_of(name)) return code;
  }
  if (const int code = write_and_sync(file.descriptor(), bytes, kReplacePoints)) return code;
  if (const int code = file.rename_to(name)) return code;
  return sync_folder(folder, FaultPoint::kReplaceSyncFolder);
}

int append_to(int descriptor, std::string_view bytes) {
  struct stat before {};
  if (const int code = errno_of(::fstat(descriptor, &before))) return code;
  if (!S_ISREG(before.st_mode)) return EINVAL;
  const int code = write_and_sync(descriptor, bytes, kAppendPoints);
  // Nothing better is left to do where cutting back fails too; the first error tells more.
  if (code != 0 && ::ftruncate(descriptor, before.st_size) == 0) ::fsync(descriptor);
  return code;
}

Status replace(const Root& root, std::string_view relative_path, std::string_view bytes, Readers readers) {
  SLUICE_CHECK(check_relative(relative_path));
  const SplitPath split = split_path(relative_path);
  if (split.name.empty()) return os_error("replace file", EISDIR, relative_path);
  SLUICE_TRY(const Descriptor folder, open_folder(root, split.folder));
  const int code = replace_in(folder.number(), std::string(split.name), bytes, readers);
  if (code != 0) return os_error("replace file", code, relative_path);
  return {};
}

}  // namespace

Status replace_file(const Root& root, std::string_view relative_path, std::string_view bytes) {
  return replace(root, relative_path, bytes, Readers::kAsBefore);
}

Status replace_private_file(const Root& root, std::string_view relative_path, std::string_view bytes) {
  return replace(root, relative_path, bytes, Readers::kOwner);
}

Status append_durable(const Root& root, std::string_view relative_path, std::string_view bytes) {
  SLUICE_CHECK(check_relative(relative_path));
  SLUICE_TRY(const Descriptor folder, open_folder(root, split_path(relative_path).folder));
  const bool existed = root.stat(relative_path).ok();
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY;
  SLUICE_TRY(const Descriptor file,
             root.open_descriptor(relative_path, {.flags = kFlags, .mode = kNewFileMode}));
  if (const int code = append_to(file.number(), bytes))
    return os_error("append to file", code, relative_path);
  if (existed) return {};
  const int code = sync_folder(folder.number(), FaultPoint::kAppendSyncFolder);
  if (code != 0) return os_error("append to file", code, relative_path);
  return {};
}

bool is_temporary_name(std::string_view name) {
  return name.starts_with(kTemporaryPrefix) && name.ends_with(kTemporarySuffix);
}

Result<std::size_t> remove_temporaries(const Root& root, std::string_view relative_folder) {
  SLUICE_TRY(Descriptor descriptor, open_folder(root, relative_folder));
  const FolderStream folder = open_stream(std::move(descriptor));
  if (!folder) return os_error("list folder", errno, relative_folder);
  std::vector<std::string> names;
  while (const dirent* found = ::readdir(folder.get())) {  // NOLINT(concurrency-mt-unsafe): ours alone.
    if (is_temporary_name(found->d_name)) names.emplace_back(found->d_name);
    if (names.size() == kFolderEntriesMax) break;
  }
  std::size_t removed = 0;
  for (const std::string& name : names) {
    if (::unlinkat(::dirfd(folder.get()), name.c_str(), 0) == 0) ++removed;
  }
  return removed;
}

}  // namespace sluice::fs
