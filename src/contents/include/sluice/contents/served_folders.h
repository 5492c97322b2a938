#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/result.h"
#include "sluice/contents/served_folder.h"

namespace sluice::contents {

// The folders that one provider serves, in the order of their URIs. A single folder has no prefix. Any
// thread, except for `watch`.
class ServedFolders {
 public:
  using Folders = std::vector<std::unique_ptr<ServedFolder>>;
  // Called on the threads of the watchers and of the follower, with the prefix of the folder that has
  // changed.
  using OnChange = std::function<void(const std::string& prefix, const std::vector<fs::Change>& changes)>;

  static Result<std::unique_ptr<ServedFolders>> open(const std::vector<FolderSpec>& specs);

  bool is_single() const { return folders_.size() == 1 && folders_.front()->prefix().empty(); }
  Folders::const_iterator begin() const { return folders_.begin(); }
  Folders::const_iterator end() const { return folders_.end(); }

  // The folder that `path` begins with, and the rest of the path. nullopt: no folder has that prefix.
  struct Place {
    const ServedFolder* folder;
    std::string path;
  };
  std::optional<Place> find(const std::string& path) const;

  // Watches the folders from now on, and looks at intervals whether another folder has taken the place of
  // one: that one is served from then on, and is reported as a rescan. Once.
  void watch(OnChange on_change);

 private:
  explicit ServedFolders(Folders folders) : folders_(std::move(folders)) {}
  void follow(const std::stop_token& stop);

  OnChange on_change_;  // Before the folders, whose watchers call it until they are destroyed.
  const Folders folders_;
  BackgroundThread follower_;  // Last: it ends before the rest is destroyed.
};

}  // namespace sluice::contents
