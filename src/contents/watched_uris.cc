#include "sluice/contents/watched_uris.h"

namespace sluice::contents {

void WatchedUris::add(const std::string& path, const ResourceUri& uri) {
  const MutexLock lock(mutex_);
  by_path_[path].insert(uri.text());
}

void WatchedUris::remove(const std::string& path, const ResourceUri& uri) {
  const MutexLock lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return;
  found->second.erase(uri.text());
  if (found->second.empty()) by_path_.erase(found);
}

std::vector<std::string> WatchedUris::at(std::string_view path) const {
  const MutexLock lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<std::string> WatchedUris::beneath(std::string_view folder) const {
  std::vector<std::string> out = at(folder);
  const std::string prefix = folder.empty() ? std::string() : std::string(folder) + "/";
  const MutexLock lock(mutex_);
  for (auto it = by_path_.lower_bound(prefix); it != by_path_.end() && it->first.starts_with(prefix); ++it) {
    if (it->first != folder) out.insert(out.end(), it->second.begin(), it->second.end());
  }
  return out;
}

}  // namespace sluice::contents
