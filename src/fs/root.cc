#include "sluice/fs/root.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <linux/openat2.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/fs/durable.h"

#include "file_time.h"
#include "folder_stream.h"
#include "os_error.h"
#include "relative_path.h"

namespace sluice::fs {
namespace {

// A descriptor, or -1 with errno set.
int open_by_kernel(int root, const std::string& path, Root::OpenHow how, Symlinks symlinks) {
  struct open_how request {};
  request.flags = static_cast<__u64>(how.flags);
  request.mode = how.mode;
  request.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  if (symlinks == Symlinks::kRefuse) request.resolve |= RESOLVE_NO_SYMLINKS;
  // EAGAIN: a folder was renamed while a link with ".." was followed, and the kernel cannot tell whether that
  // stayed beneath. Whoever keeps renaming can keep us here, so the attempts are counted.
  for (std::size_t attempt = 0; attempt < kOpenRetriesMax; ++attempt) {
    const long opened = ::syscall(SYS_openat2, root, path.c_str(), &request, sizeof request);
    if (opened >= 0) return static_cast<int>(opened);
    if (errno != EAGAIN && errno != EINTR) return -1;
  }
  return -1;
}

int open_by_components(int root, const std::string& path, Root::OpenHow how) {
  const SplitPath split = split_path(path);
  Descriptor folder;
  int current = root;
  for (std::size_t at = 0; at < split.folder.size();) {
    const std::size_t end = std::min(path.find('/', at), split.folder.size());
    const std::string name = path.substr(at, end - at);
    Descriptor next(::openat(current, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.is_open()) return -1;
    folder = std::move(next);
    current = folder.number();
    at = end + 1;
  }
  return ::openat(current, std::string(split.name).c_str(), how.flags | O_NOFOLLOW, how.mode);
}

// Whether this system has openat2: it is younger than some kernels, and some sandboxes answer EPERM to what
// they do not know.
bool kernel_resolves(int root) {
  const Descriptor probe(
      open_by_kernel(root, ".", {.flags = O_PATH | O_CLOEXEC, .mode = 0}, Symlinks::kInside));
  return probe.is_open() || (errno != ENOSYS && errno != EPERM);
}

EntryKind entry_kind(const struct stat& found) {
  if (S_ISREG(found.st_mode)) return EntryKind::kFile;
  if (S_ISDIR(found.st_mode)) return EntryKind::kFolder;
  return EntryKind::kOther;
}

Entry make_entry(std::string_view name, const struct stat& found) {
  return Entry{.name = std::string(name),
               .kind = entry_kind(found),
               .is_link = false,
               .bytes = static_cast<std::uint64_t>(found.st_size),
               .modified = modified_time(found),
               .identity = {.device = found.st_dev, .inode = found.st_ino}};
}

// The entry `name` of the folder that is open as `folder`, or nothing where it cannot be used.
std::optional<Entry> read_entry(const Root& root, std::string_view relative_folder, int folder,
                                const char* name) {
  if (!is_valid_utf8(name) || is_temporary_name(name)) return std::nullopt;
  struct stat found {};
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;  // It is gone by now.
  if (!S_ISLNK(found.st_mode)) return make_entry(name, found);
  Result<Entry> target = root.stat(join_path(relative_folder, name));
  if (!target.ok()) return std::nullopt;
  return std::move(target).value();
}

}  // namespace

Root::Root(Descriptor descriptor, RootOptions options)
    : descriptor_(std::move(descriptor)), options_(options) {}

Result<Root> Root::open(const std::string& path, RootOptions options) {
  if (path.find('\0') != std::string::npos) return invalid_input("path of a folder has a NUL");
  Descriptor descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open()) {
    const int code = errno;
    return os_error("open folder", code, split_path(path).name);
  }
  if (!kernel_resolves(descriptor.number())) options.resolution = Resolution::kComponents;
  return Root(std::move(descriptor), options);
}

Result<Descriptor> Root::open_descriptor(std::string_view relative_path, OpenHow how) const {
  SLUICE_CHECK(check_relative(relative_path));
  const std::string path = relative_path.empty() ? "." : std::string(relative_path);
  how.flags |= O_CLOEXEC;
  const int opened = options_.resolution == Resolution::kKernel
                         ? open_by_kernel(descriptor_.number(), path, how, options_.symlinks)
                         : open_by_components(descriptor_.number(), path, how);
  if (opened < 0) return os_error("open", errno, relative_path);
  return Descriptor(opened);
}

Result<File> Root::open_beneath(std::string_view relative_path) const {
  // O_NONBLOCK: opening a pipe would otherwise wait for its writer. It changes nothing for a regular file.
  SLUICE_TRY(Descriptor descriptor,
             open_descriptor(relative_path, {.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY, .mode = 0}));
  struct stat found {};
  if (::fstat(descriptor.number(), &found) != 0) return os_error("open", errno, relative_path);
  if (S_ISDIR(found.st_mode)) return os_error("open", EISDIR, relative_path);
  if (!S_ISREG(found.st_mode)) {
    return forbidden(fmt::format("open (it is not a regular file): {}", excerpt(relative_path, 200)));
  }
  return File(std::move(descriptor), std::string(relative_path), static_cast<std::uint64_t>(found.st_size));
}

Result<Listing> Root::list(std::string_view relative_folder) const {
  SLUICE_TRY(Descriptor descriptor,
             open_descriptor(relative_folder, {.flags = O_RDONLY | O_DIRECTORY, .mode = 0}));
  const FolderStream folder = open_stream(std::move(descriptor));
  if (!folder) return os_error("list folder", errno, relative_folder);
  Listing listing;
  for (;;) {  // Ends with the folder, or at kFolderEntriesMax.
    errno = 0;
    const dirent* found = ::readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): `folder` is ours alone.
    if (found == nullptr && errno != 0) return os_error("list folder", errno, relative_folder);
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    std::optional<Entry> entry = read_entry(*this, relative_folder, ::dirfd(folder.get()), found->d_name);
    if (!entry) continue;
    if (listing.entries.size() == kFolderEntriesMax) {
      listing.truncated = true;
      break;
    }
    listing.entries.push_back(std::move(*entry));
  }
  std::sort(listing.entries.begin(), listing.entries.end(),
            [](const Entry& a, const Entry& b) { return a.name < b.name; });
  return listing;
}

Result<Entry> Root::stat(std::string_view relative_path) const {
  struct stat found {};
  const auto inspect = [&](int flags) -> Status {
    SLUICE_TRY(const Descriptor descriptor,
               open_descriptor(relative_path, {.flags = O_PATH | flags, .mode = 0}));
    if (::fstat(descriptor.number(), &found) != 0) return os_error("inspect", errno, relative_path);
    return {};
  };
  SLUICE_CHECK(inspect(O_NOFOLLOW));
  const bool is_link = S_ISLNK(found.st_mode);
  if (is_link) SLUICE_CHECK(inspect(0));
  if (S_ISLNK(found.st_mode)) return os_error("inspect", ELOOP, relative_path);  // It was not followed.
  Entry entry = make_entry(split_path(relative_path).name, found);
  entry.is_link = is_link;
  return entry;
}

}  // namespace sluice::fs
