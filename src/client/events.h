#pragma once

#include <array>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include "sluice/base/mutex.h"
#include "sluice/client/options.h"

namespace sluice::client {

// Tells the callbacks of a client what has changed, on one thread that is made when there is something to
// tell. What waits is merged, so a server that floods is as loud as its reader is fast. Any thread.
class Events {
 public:
  // `options` must outlive it.
  explicit Events(const ClientOptions& options) : options_(options) {}
  ~Events() { close(); }

  void list_changed(ListKind kind);
  void resource_updated(const std::string& uri);
  void log(LogMessage message);
  // Waits for the callback that runs; the rest is dropped.
  void close();

 private:
  struct Waiting {
    std::array<bool, 3> lists{};
    std::set<std::string> uris;
    std::deque<LogMessage> logs;
    bool empty() const;
  };
  void add(const std::function<void(Waiting&)>& change);
  void run();
  void tell(const Waiting& waiting);

  const ClientOptions& options_;
  Mutex mutex_;
  CondVar changed_;
  Waiting waiting_ SLUICE_GUARDED_BY(mutex_);
  bool closed_ SLUICE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace sluice::client
