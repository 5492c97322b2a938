#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/uri.h"

namespace sluice::contents {

// The URIs that somebody watches, by the path that they name: several URIs may name one path. Any thread.
class WatchedUris {
 public:
  void add(const std::string& path, const ResourceUri& uri);
  void remove(const std::string& path, const ResourceUri& uri);

  // Of exactly that path, and of a path with all beneath it ("" for everything).
  std::vector<std::string> at(std::string_view path) const;
  std::vector<std::string> beneath(std::string_view folder) const;

 private:
  mutable Mutex mutex_;
  std::map<std::string, std::set<std::string>, std::less<>> by_path_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::contents
