#include "sluice/fs/scan.h"

#include <algorithm>
#include <utility>

#include "relative_path.h"

namespace sluice::fs {
namespace {

std::size_t depth_of(std::string_view path) {
  return 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

}  // namespace

Result<Scan> scan(const Root& root, std::string_view relative_folder, const ScanOptions& options) {
  Scan found;
  std::vector<std::string> waiting = {std::string(relative_folder)};
  while (!waiting.empty()) {  // Each turn lists one folder; entries_max bounds how many there are.
    if (options.stop.stop_requested()) return cancelled();
    const std::string folder = std::move(waiting.back());
    waiting.pop_back();
    Result<Listing> listing = root.list(folder);
    if (!listing.ok()) {
      if (folder == relative_folder) return std::move(listing).error();
      continue;
    }
    found.truncated |= listing->truncated;
    for (Entry& entry : listing->entries) {
      std::string path = join_path(folder, entry.name);
      if (options.skips && options.skips(path)) continue;
      if (found.entries.size() == options.entries_max || depth_of(path) > kPathDepthMax) {
        found.truncated = true;
        break;
      }
      if (entry.kind == EntryKind::kFolder && !entry.is_link) waiting.push_back(path);
      found.entries.push_back({.path = std::move(path), .entry = std::move(entry)});
    }
  }
  std::sort(found.entries.begin(), found.entries.end(),
            [](const ScannedEntry& a, const ScannedEntry& b) { return a.path < b.path; });
  return found;
}

}  // namespace sluice::fs
