#include "sluice/contents/served_folder.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/base/log.h"
#include "sluice/base/text.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/served_name.h"
#include "sluice/fs/place.h"
#include "sluice/fs/scan.h"

namespace sluice::contents {

namespace {

bool skips(std::string_view path) { return !is_served_name(last_name(path)); }

Result<std::shared_ptr<const fs::Root>> open_root(const FolderSpec& spec) {
  Result<fs::Root> root = fs::Root::open(spec.path);
  if (!root.ok()) return not_found(root.error().message).with_code("folder_not_found");
  // Owners: the folder, and the reads that use it while another takes its place.
  return std::make_shared<const fs::Root>(*std::move(root));
}

}  // namespace

ServedFolder::ServedFolder(FolderSpec spec, std::string prefix, std::shared_ptr<const fs::Root> root)
    : name_(std::move(spec.name)),
      path_(std::move(spec.path)),
      ttl_(spec.ttl),
      binary_bytes_max_(spec.binary_bytes_max),
      prefix_(std::move(prefix)),
      root_(std::move(root)) {}

Result<std::unique_ptr<ServedFolder>> ServedFolder::open(const FolderSpec& spec, std::string prefix) {
  SLUICE_TRY(std::shared_ptr<const fs::Root> root, open_root(spec));
  return std::unique_ptr<ServedFolder>(new ServedFolder(spec, std::move(prefix), std::move(root)));
}

std::shared_ptr<const fs::Root> ServedFolder::root() const {
  const MutexLock lock(mutex_);
  return root_;
}

void ServedFolder::watch(fs::Watcher::Callback callback) {
  callback_ = std::move(callback);
  start_watcher();
}

bool ServedFolder::follow() {
  if (fs::is_at(*root(), path_)) return false;
  Result<std::shared_ptr<const fs::Root>> next = open_root({.name = name_, .path = path_});
  if (!next.ok()) return false;  // It is gone again.
  watcher_.reset();
  {
    const MutexLock lock(mutex_);
    root_ = *std::move(next);
  }
  start_watcher();
  log::info("folder_reopened", {{"folder", name_}});
  return true;
}

void ServedFolder::start_watcher() {
  fs::WatchOptions options;
  options.skips = skips;
  // The watcher uses the root, which nobody but this thread replaces.
  Result<std::unique_ptr<fs::Watcher>> watcher = fs::Watcher::start(*root(), std::move(options), callback_);
  if (watcher.ok()) {
    watcher_ = *std::move(watcher);
  } else {
    log::warning("folder_not_watched", {{"folder", name_}, {"reason", watcher.error().message}});
  }
}

Result<FolderSummary> summarize(const FolderSpec& folder) {
  SLUICE_TRY(const std::shared_ptr<const fs::Root> root, open_root(folder));
  fs::ScanOptions options;
  options.skips = skips;
  SLUICE_TRY(const fs::Scan scan, fs::scan(*root, "", options));
  FolderSummary summary{.truncated = scan.truncated};
  for (const fs::ScannedEntry& found : scan.entries) {
    if (found.entry.kind == fs::EntryKind::kFile) ++summary.files;
    if (found.entry.kind == fs::EntryKind::kFolder) ++summary.folders;
  }
  return summary;
}

}  // namespace sluice::contents
