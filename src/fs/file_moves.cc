#include "sluice/fs/file_moves.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include <linux/fs.h>

#include "sluice/fs/fault.h"

#include "os_error.h"
#include "relative_path.h"

namespace sluice::fs {

namespace {

constexpr mode_t kNewFolderMode = 0755;

// A folder and a name in it, for the calls that change names.
struct Place {
  Descriptor folder;
  std::string name;
};

Result<Place> place_of(const Root& root, std::string_view relative_path) {
  SLUICE_CHECK(check_relative(relative_path));
  const SplitPath split = split_path(relative_path);
  if (split.name.empty()) return os_error("change file", EISDIR, relative_path);
  SLUICE_TRY(Descriptor folder,
             root.open_descriptor(split.folder, {.flags = O_RDONLY | O_DIRECTORY, .mode = 0}));
  return Place{.folder = std::move(folder), .name = std::string(split.name)};
}

int sync(int descriptor, FaultPoint point) {
  if (const int code = injected_error(point)) return code;
  return errno_of(::fsync(descriptor));
}

// 0, or why the blocks cannot be shared.
int clone(const Place& from, const Place& to) {
  const Descriptor source(
      ::openat(from.folder.number(), from.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!source.is_open()) return errno;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  const Descriptor target(::openat(to.folder.number(), to.name.c_str(), kFlags, 0644));
  if (!target.is_open()) return errno;
  int code = errno_of(::ioctl(target.number(), FICLONE, source.number()));
  if (code == 0) code = errno_of(::fsync(target.number()));
  if (code != 0) ::unlinkat(to.folder.number(), to.name.c_str(), 0);
  return code;
}

}  // namespace

Status make_folder(const Root& root, std::string_view relative_folder) {
  SLUICE_TRY(const Place place, place_of(root, relative_folder));
  if (const int code = injected_error(FaultPoint::kMakeFolder))
    return os_error("make folder", code, relative_folder);
  if (::mkdirat(place.folder.number(), place.name.c_str(), kNewFolderMode) != 0) {
    if (errno == EEXIST) return {};
    return os_error("make folder", errno, relative_folder);
  }
  if (const int code = errno_of(::fsync(place.folder.number())))
    return os_error("make folder", code, relative_folder);
  return {};
}

Status snapshot_file(const Root& root, std::string_view from, std::string_view to) {
  SLUICE_TRY(const Place source, place_of(root, from));
  SLUICE_TRY(const Place target, place_of(root, to));
  if (const int code = injected_error(FaultPoint::kSnapshot)) return os_error("make snapshot", code, to);
  if (const int code = clone(source, target)) {
    if (code == EEXIST)
      return conflict("make snapshot: there is one of that name").with_code("snapshot_exists");
    if (::linkat(source.folder.number(), source.name.c_str(), target.folder.number(), target.name.c_str(),
                 0) != 0)
      return os_error("make snapshot", errno, to);
  }
  if (const int code = sync(target.folder.number(), FaultPoint::kSync))
    return os_error("make snapshot", code, to);
  return {};
}

Status sync_file(const Root& root, std::string_view relative_path) {
  SLUICE_TRY(const Descriptor file,
             root.open_descriptor(relative_path, {.flags = O_RDONLY | O_NONBLOCK, .mode = 0}));
  if (const int code = sync(file.number(), FaultPoint::kSync))
    return os_error("write file", code, relative_path);
  return {};
}

Status move_file(const Root& root, std::string_view from, std::string_view to) {
  SLUICE_TRY(const Place source, place_of(root, from));
  SLUICE_TRY(const Place target, place_of(root, to));
  int code = injected_error(FaultPoint::kMove);
  if (code == 0)
    code = errno_of(
        ::renameat(source.folder.number(), source.name.c_str(), target.folder.number(), target.name.c_str()));
  if (code == 0) code = sync(target.folder.number(), FaultPoint::kMoveSyncFolder);
  if (code != 0) return os_error("replace file", code, to);
  return {};
}

Status cut_file(const Root& root, std::string_view relative_path, std::uint64_t bytes) {
  SLUICE_TRY(const Descriptor file,
             root.open_descriptor(relative_path, {.flags = O_WRONLY | O_NONBLOCK, .mode = 0}));
  int code = injected_error(FaultPoint::kCut);
  if (code == 0) code = errno_of(::ftruncate(file.number(), static_cast<off_t>(bytes)));
  if (code == 0) code = errno_of(::fsync(file.number()));
  if (code != 0) return os_error("cut file", code, relative_path);
  return {};
}

Status remove_file(const Root& root, std::string_view relative_path) {
  SLUICE_TRY(const Place place, place_of(root, relative_path));
  int code = injected_error(FaultPoint::kRemove);
  if (code == 0) code = errno_of(::unlinkat(place.folder.number(), place.name.c_str(), 0));
  if (code != 0 && code != ENOENT) return os_error("remove file", code, relative_path);
  return {};
}

}  // namespace sluice::fs
