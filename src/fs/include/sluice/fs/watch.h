#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

enum class ChangeKind : std::uint8_t {
  kCreated,
  kModified,  // Also a file that another took the place of, as editors save.
  kRemoved,
  kRescan,  // The system lost events: anything may have changed. The path is empty.
};

// A file or a folder of the watched tree. When a folder comes or goes, so does everything beneath it.
struct Change {
  std::string path;
  ChangeKind kind = ChangeKind::kRescan;

  friend bool operator==(const Change&, const Change&) = default;
};

struct WatchOptions {
  std::chrono::milliseconds coalesce = kWatchCoalesce;           // From the first event to its delivery.
  std::chrono::milliseconds poll_interval = kWatchPollInterval;  // Where events are not to be had.
  std::size_t folders_max = kWatchFoldersMax;
  std::function<bool(std::string_view relative_path)> skips;  // True: not watched, not entered. May be empty.
};

// Tells what changes beneath a folder. Uses inotify; where its limits are reached it says so in the log and
// compares the tree at intervals instead. Linked folders are not entered.
//
// The callback gets the changes of one interval in order of path, each path once. It is called on the
// watcher's own thread and must not stop or destroy the watcher. What changes after `start` has returned is
// reported.
class Watcher {
 public:
  using Callback = std::function<void(const std::vector<Change>&)>;

  // `root` must outlive the watcher.
  static Result<std::unique_ptr<Watcher>> start(const Root& root, WatchOptions options, Callback callback);
  ~Watcher();  // Stops.

  // Returns when the thread has ended: after at most one folder listing and a callback that is running. No
  // callback begins afterwards.
  void stop();

  bool is_polling() const;

 private:
  class Loop;
  explicit Watcher(std::unique_ptr<Loop> loop);

  std::unique_ptr<Loop> loop_;
};

}  // namespace sluice::fs
