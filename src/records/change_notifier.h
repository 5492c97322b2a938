#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/fs/watch.h"
#include "sluice/records/store.h"

namespace sluice::records {

// Tells listeners of every change in a store's folder once, whether this process made it or another one. A
// commit shows three times: when it is made, as a line of the journal, and when the file is written anew. Any
// thread.
class ChangeNotifier {
 public:
  // How the state of the store is found out.
  struct Source {
    std::function<std::string(const std::string& data_type)> fingerprint;  // See DataType::fingerprint.
    std::function<std::string(const std::string& data_type)> schema_fingerprint;  // Of its schema file.
    std::function<Result<std::vector<std::string>>()> names;                      // All data types.
  };
  // `root` must outlive the notifier.
  ChangeNotifier(const fs::Root& root, Source source);

  // The folder is watched from the first listener on.
  std::uint64_t listen(StoreListener listener);
  // Waits for a running call: no listener is called after this returns. Must not be called by a listener.
  void unlisten(std::uint64_t id);

  // This process has committed an operation.
  void committed(const std::string& data_type, std::int64_t version);

  // Ends the watching.
  void stop();

 private:
  void watch();  // With the lock of the listeners held.
  void noticed(const std::vector<fs::Change>& changes);
  void notify(const StoreChange& change);
  void notify_once(const std::string& data_type, const std::string& fingerprint);
  bool is_news(const std::string& key, const std::string& fingerprint);
  void notify_all();

  const fs::Root& root_;
  const Source source_;
  Mutex listeners_mutex_;  // Held while they run.
  std::uint64_t listened_ SLUICE_GUARDED_BY(listeners_mutex_) = 0;
  std::map<std::uint64_t, StoreListener> listeners_ SLUICE_GUARDED_BY(listeners_mutex_);
  Mutex notified_mutex_;
  // What was told last: the fingerprint of a data type, or of "schemas/<data type>".
  std::map<std::string, std::string, std::less<>> notified_ SLUICE_GUARDED_BY(notified_mutex_);
  std::unique_ptr<fs::Watcher> watcher_;
};

}  // namespace sluice::records
