#include "folder_watches.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/fs/durable.h"

#include "os_error.h"
#include "relative_path.h"

namespace sluice::fs {
namespace {

constexpr unsigned kMask = IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                           IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

FolderWatches::FolderWatches(Descriptor descriptor, std::size_t folders_max)
    : descriptor_(std::move(descriptor)), folders_max_(folders_max) {}

Result<FolderWatches> FolderWatches::open(std::size_t folders_max) {
  Descriptor descriptor(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!descriptor.is_open()) return os_error("watch folder", errno, "");
  return FolderWatches(std::move(descriptor), folders_max);
}

Status FolderWatches::add(const Root& root, const std::string& folder) {
  if (watch_of_.size() >= folders_max_) return limit_reached("watched folders", folders_max_);
  const Result<Descriptor> opened = root.open_descriptor(folder, {.flags = O_PATH | O_DIRECTORY, .mode = 0});
  if (!opened.ok()) return {};
  // inotify takes a path. This one names the folder that was just resolved, whatever is renamed meanwhile.
  const std::string path = fmt::format("/proc/self/fd/{}", opened->number());
  const int watch = ::inotify_add_watch(descriptor_.number(), path.c_str(), kMask);
  if (watch < 0) {
    if (errno == EACCES) return {};  // It cannot be listed either.
    if (errno == ENOSPC) {
      return make_error(ErrorKind::kLimitReached,
                        "no more folders can be watched: raise fs.inotify.max_user_watches");
    }
    return make_error(ErrorKind::kLimitReached, os_error("watch folder", errno, folder).message);
  }
  // A folder that was renamed keeps its watch, under its new path.
  const auto [known, is_new] = path_of_.try_emplace(watch, folder);
  if (!is_new && known->second != folder) {
    watch_of_.erase(known->second);
    known->second = folder;
  }
  watch_of_[folder] = watch;
  return {};
}

void FolderWatches::forget(std::string_view folder) {
  const auto drop = [this](auto it) {
    ::inotify_rm_watch(descriptor_.number(), it->second);
    path_of_.erase(it->second);
    return watch_of_.erase(it);
  };
  if (const auto own = watch_of_.find(folder); own != watch_of_.end()) drop(own);
  const std::string beneath = fmt::format("{}/", folder);
  for (auto it = watch_of_.lower_bound(beneath); it != watch_of_.end() && it->first.starts_with(beneath);) {
    it = drop(it);
  }
}

void FolderWatches::read(Dirt& dirt) {
  alignas(inotify_event) std::array<char, kWatchBufferBytes> buffer;
  for (std::size_t turn = 0; turn < kWatchBuffersMax; ++turn) {
    const ssize_t got = ::read(descriptor_.number(), buffer.data(), buffer.size());
    if (got <= 0) break;  // Nothing waits.
    const auto end = static_cast<std::size_t>(got);
    for (std::size_t at = 0; at + sizeof(inotify_event) <= end;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      note(event.wd, event.mask, std::string_view(name, ::strnlen(name, event.len)), dirt);
      at += sizeof event + event.len;
    }
    if (dirt.paths.size() > kWatchPendingMax) dirt.everything = true;
    if (dirt.everything) dirt.paths.clear();
  }
}

void FolderWatches::note(int watch, unsigned mask, std::string_view name, Dirt& dirt) {
  if ((mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) != 0) dirt.everything = true;
  const auto found = path_of_.find(watch);
  if (found == path_of_.end()) return;
  const std::string folder = found->second;
  if ((mask & IN_IGNORED) != 0) {  // The kernel has dropped the watch: the folder is gone.
    watch_of_.erase(folder);
    path_of_.erase(found);
    return;
  }
  // The watch goes along with a folder that is moved away, and another folder may stand in its place by now.
  // Where it has gone, if that is in the tree, it is found and watched anew.
  if ((mask & IN_MOVE_SELF) != 0 && !folder.empty()) forget(folder);
  if (!is_valid_utf8(name) || is_temporary_name(name)) return;
  dirt.paths.insert(name.empty() ? folder : join_path(folder, name));
}

}  // namespace sluice::fs
