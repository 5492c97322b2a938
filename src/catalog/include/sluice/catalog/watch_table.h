#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sluice/base/mutex.h"

namespace sluice::catalog {

// Who watches which URI, and the order in which providers learn of it. A provider is called during a Turn or
// a Pause, while no lock is held: its call may take long. During a Turn it may come back to the catalog about
// another URI, on the same thread. Any thread.
class WatchTable {
 public:
  // The only one about its URI, and not during a Pause: the constructor waits until that is so. A thread that
  // has a turn gets another one even if a Pause waits for its first.
  class Turn {
   public:
    Turn(WatchTable& table, const std::string& uri);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    bool add();     // True: this is the first watch of the URI.
    bool remove();  // True: this was the last one.

   private:
    WatchTable& table_;
    const std::string uri_;
  };

  // Keeps all turns waiting; the constructor waits until none is under way. One at a time.
  class Pause {
   public:
    explicit Pause(WatchTable& table);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

    std::vector<std::string> uris() const;

   private:
    WatchTable& table_;
  };

  bool contains(const std::string& uri) const;

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  std::map<std::string, std::size_t> counts_ SLUICE_GUARDED_BY(mutex_);  // Never 0.
  std::map<std::string, std::thread::id> turns_ SLUICE_GUARDED_BY(mutex_);
  bool is_paused_ SLUICE_GUARDED_BY(mutex_) = false;
};

}  // namespace sluice::catalog
