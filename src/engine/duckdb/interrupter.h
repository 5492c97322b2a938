#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "sluice/engine/engine.h"

#include "duckdb/handles.h"

namespace sluice::engine::duck {

// Ends statements whose time is over or whose caller has gone. One thread for the whole engine; it must
// outlive every Watch.
class Interrupter {
 public:
  Interrupter();
  ~Interrupter();

  enum class Cause : std::uint8_t { kNone, kStopped, kDeadline };

  // While it lives, the statement that runs on the connection is watched.
  class Watch {
   public:
    Watch(Interrupter& owner, duckdb_connection connection, const RunLimits& limits);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    Cause cause() const;

   private:
    friend class Interrupter;
    struct Wake {
      Watch* watch;
      void operator()() const { watch->owner_.stop(*watch); }
    };

    Interrupter& owner_;
    const duckdb_connection connection_;
    const RunLimits limits_;
    Cause cause_ = Cause::kNone;  // Guarded by the owner's mutex.
    std::list<Watch*>::iterator place_;
    std::optional<std::stop_callback<Wake>> on_stop_;  // Last: it may run at once, on this thread.
  };

 private:
  void stop(Watch& watch);
  void run(const std::stop_token& stop);
  Monotonic interrupt_due();  // Returns when to look again.

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Watch*> watches_;  // Each takes itself out before it dies.
  bool has_news_ = false;
  std::jthread thread_;
};

}  // namespace sluice::engine::duck
