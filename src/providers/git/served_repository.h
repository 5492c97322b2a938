#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/fs/watch.h"
#include "sluice/git/git_provider.h"

#include "git_uri.h"
#include "place.h"

namespace sluice::git {

// One of the repositories, and who wants to hear of it.
class ServedRepository {
 public:
  using Tell = std::function<void(const std::string& uri)>;

  static Result<std::unique_ptr<ServedRepository>> open(const RepositorySpec& spec, Naming naming);

  const std::string& name() const { return name_; }
  const std::string& prefix() const { return prefix_; }  // Of its URIs.
  const Place& place() const { return place_; }
  std::chrono::milliseconds ttl() const { return ttl_; }
  // Whether nothing has come into the repository that leads out of it.
  bool is_safe() const { return is_safe_; }

  // One thread at a time for these two, and never one of a watcher: they stop watchers. What cannot be
  // watched is served all the same, and the log says so.
  void start_telling(Tell tell);
  // Watches the repository that has taken the place of the one that was there, and its files while somebody
  // wants the status. Those who do are told once it is watched: something may have changed before.
  void follow();

  // Any thread; `follow` does what is to be done.
  void watch(const ResourceUri& uri, Subject subject);
  void unwatch(const ResourceUri& uri);

 private:
  ServedRepository(const RepositorySpec& spec, std::string prefix, Place place);
  void watch_refs();
  void watch_files();
  bool is_status_wanted();
  void on_git_change(const std::vector<fs::Change>& changes);
  enum class Reach : std::uint8_t { kStatus, kAll };
  void tell(Reach reach);

  const std::string name_;
  const std::string prefix_;
  const Place place_;
  const std::chrono::milliseconds ttl_;
  std::atomic<bool> is_safe_ = true;
  Tell tell_;  // Set once, before anything is watched.

  Mutex uris_mutex_;
  std::map<std::string, Subject> uris_ SLUICE_GUARDED_BY(uris_mutex_);

  std::unique_ptr<fs::Root> git_root_;
  std::unique_ptr<fs::Watcher> git_watcher_;

  std::unique_ptr<fs::Root> files_root_;
  std::unique_ptr<fs::Watcher> files_watcher_;
};

}  // namespace sluice::git
