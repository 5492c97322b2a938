#include "sluice/fs/plain_tree.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "folder_stream.h"
#include "os_error.h"
#include "relative_path.h"

namespace sluice::fs {
namespace {

enum class Kind : std::uint8_t { kFile, kFolder, kOther };

struct EntryInfo {
  Kind kind = Kind::kOther;
  std::uint64_t bytes = 0;  // Where it was asked for.
};

EntryInfo inspect(int folder, const dirent& entry, bool with_size) {
  if (entry.d_type == DT_DIR) return {.kind = Kind::kFolder};
  if (entry.d_type == DT_REG && !with_size) return {.kind = Kind::kFile};
  struct stat found {};
  if (::fstatat(folder, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    // What is gone by now is no concern.
    return {.kind = errno == ENOENT ? Kind::kFile : Kind::kOther};
  }
  if (S_ISDIR(found.st_mode)) return {.kind = Kind::kFolder};
  if (!S_ISREG(found.st_mode)) return {.kind = Kind::kOther};
  return {.kind = Kind::kFile, .bytes = static_cast<std::uint64_t>(found.st_size)};
}

class Check {
 public:
  Check(const Root& root, const PlainTreeOptions& options) : root_(root), options_(options) {}

  Status run(std::string_view relative_folder) {
    waiting_.emplace_back(relative_folder);
    while (!waiting_.empty()) {  // Each turn reads one folder; entries_max bounds how many there are.
      if (options_.stop.stop_requested()) return cancelled();
      const std::string folder = std::move(waiting_.back());
      waiting_.pop_back();
      const Status done = read(folder);
      const bool is_gone = !done.ok() && done.error().kind == ErrorKind::kNotFound;
      if (!done.ok() && (!is_gone || folder == relative_folder)) return done;
    }
    return {};
  }

 private:
  Status read(const std::string& folder) {
    SLUICE_TRY(Descriptor descriptor,
               root_.open_descriptor(folder, {.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW, .mode = 0}));
    const FolderStream stream = open_stream(std::move(descriptor));
    if (!stream) return os_error("list folder", errno, folder);
    for (;;) {  // Ends with the folder, or at entries_max.
      errno = 0;
      const dirent* entry = ::readdir(stream.get());  // NOLINT(concurrency-mt-unsafe): it is ours alone.
      if (entry == nullptr && errno != 0) return os_error("list folder", errno, folder);
      if (entry == nullptr) return {};
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (++entries_ > options_.entries_max)
        return limit_reached("files and folders that are looked at", options_.entries_max);
      SLUICE_CHECK(look(stream.get(), *entry, join_path(folder, name)));
    }
  }

  Status look(DIR* stream, const dirent& entry, std::string path) {
    if (options_.skips && options_.skips(path)) return {};
    const bool is_concern = !options_.concerns || options_.concerns(path);
    const EntryInfo found = inspect(::dirfd(stream), entry, is_concern && options_.file_bytes_max != 0);
    if (is_concern && found.kind == Kind::kOther)
      return forbidden(fmt::format("neither a file nor a folder: {}", excerpt(path, 200)));
    if (is_concern && options_.file_bytes_max != 0 && found.bytes > options_.file_bytes_max)
      return forbidden(fmt::format("larger than {} bytes: {}", options_.file_bytes_max, excerpt(path, 200)));
    if (found.kind != Kind::kFolder) return {};
    if (std::count(path.begin(), path.end(), '/') >= static_cast<std::ptrdiff_t>(kPathDepthMax))
      return limit_reached("folders within one another", kPathDepthMax);
    waiting_.push_back(std::move(path));
    return {};
  }

  const Root& root_;
  const PlainTreeOptions& options_;
  std::vector<std::string> waiting_;
  std::size_t entries_ = 0;
};

}  // namespace

Status check_plain_tree(const Root& root, std::string_view relative_folder, const PlainTreeOptions& options) {
  return Check(root, options).run(relative_folder);
}

}  // namespace sluice::fs
