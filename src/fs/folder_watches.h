#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

// What may have changed. Events only say where to look: what is there now decides what is reported.
struct Dirt {
  std::set<std::string, std::less<>> paths;
  bool everything = false;  // Events were lost.
};

// The inotify watches on the folders of a tree, by their relative paths.
class FolderWatches {
 public:
  static Result<FolderWatches> open(std::size_t folders_max);

  // Readable when there are events.
  int descriptor() const { return descriptor_.number(); }

  // Fails with kLimitReached where no more watches are to be had; a folder that is gone is not a failure.
  Status add(const Root& root, const std::string& folder);
  void forget(std::string_view folder);  // And all beneath it.
  bool covers(std::string_view folder) const { return watch_of_.contains(folder); }

  // Takes the events that wait, without waiting for more.
  void read(Dirt& dirt);

 private:
  FolderWatches(Descriptor descriptor, std::size_t folders_max);
  void note(int watch, unsigned mask, std::string_view name, Dirt& dirt);

  Descriptor descriptor_;
  std::size_t folders_max_;
  std::unordered_map<int, std::string> path_of_;
  std::map<std::string, int, std::less<>> watch_of_;
};

}  // namespace sluice::fs
