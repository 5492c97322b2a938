#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/contents/contents.h"
#include "sluice/fs/root.h"
#include "sluice/fs/watch.h"

namespace sluice::contents {

// For how long a client may show what it has read of a local source, unless the operator says otherwise.
inline constexpr std::chrono::milliseconds kLocalTtl{60'000};

// A folder whose files are resources.
struct FolderSpec {
  std::string name;  // With several folders, the first segment of their URIs. A file name; each is another.
  std::string path;
  std::chrono::milliseconds ttl = kLocalTtl;
  std::size_t binary_bytes_max = kContentBytesMax;  // What one read gives of a file that is no text.
};

// One of the folders, as it stands at its place now.
class ServedFolder {
 public:
  // `prefix` is what comes before its paths in URIs: its name, or nothing.
  static Result<std::unique_ptr<ServedFolder>> open(const FolderSpec& spec, std::string prefix);

  const std::string& name() const { return name_; }
  const std::string& prefix() const { return prefix_; }
  std::chrono::milliseconds ttl() const { return ttl_; }
  std::size_t binary_bytes_max() const { return binary_bytes_max_; }
  // Any thread. Another one later, where another folder has taken the place.
  std::shared_ptr<const fs::Root> root() const;

  // One thread at a time for these two. What cannot be watched is served all the same, and the log says so.
  void watch(fs::Watcher::Callback callback);
  // Opens and watches the folder that has taken the place of the one that was there. False where none has.
  bool follow();

 private:
  ServedFolder(FolderSpec spec, std::string prefix, std::shared_ptr<const fs::Root> root);
  void start_watcher();

  const std::string name_;
  const std::string path_;
  const std::chrono::milliseconds ttl_;
  const std::size_t binary_bytes_max_;
  const std::string prefix_;
  mutable Mutex mutex_;
  std::shared_ptr<const fs::Root> root_ SLUICE_GUARDED_BY(mutex_);  // Shared with the reads under way.
  fs::Watcher::Callback callback_;
  std::unique_ptr<fs::Watcher> watcher_;  // Last: it uses the root.
};

// What a folder offers, for a report. Reads the names of all of it.
struct FolderSummary {
  std::size_t files = 0;
  std::size_t folders = 0;
  bool truncated = false;  // There are more than a scan sees.
};
Result<FolderSummary> summarize(const FolderSpec& folder);

}  // namespace sluice::contents
