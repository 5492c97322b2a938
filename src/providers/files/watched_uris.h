#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/uri.h"

namespace sluice::files {

// Which URIs somebody wants to hear of, by what they name: one file may be written in several ways. Any
// thread.
class WatchedUris {
 public:
  void add(const ResourceUri& uri);
  void remove(const ResourceUri& uri);

  // Of exactly that path, and of a path with all beneath it ("" for everything).
  std::vector<std::string> at(std::string_view path) const;
  std::vector<std::string> beneath(std::string_view folder) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::set<std::string>, std::less<>> by_path_;
};

}  // namespace sluice::files
