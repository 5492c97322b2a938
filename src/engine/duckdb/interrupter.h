#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/engine.h"

#include "handles.h"
#include "memory_watch.h"

namespace sluice::engine::duck {

// Ends statements whose time is over, whose caller has gone, or which take too much memory. One thread for
// the whole engine; it must outlive every Watch.
class Interrupter {
 public:
  struct Options {
    std::chrono::milliseconds stuck_after = EngineOptions{}.stuck_after;  // From the first interrupt on.
    MemoryWatch::Options memory;
  };
  explicit Interrupter(Options options);
  ~Interrupter();

  enum class Cause : std::uint8_t { kNone, kStopped, kDeadline, kMemory };

  // While it lives, the statement that runs on the connection is watched. A new one is inside the engine.
  class Watch {
   public:
    Watch(Interrupter& owner, duckdb_connection connection, const RunLimits& limits);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    Cause cause() const;
    // The thread that runs the statement is in a call of the engine from `enter` to `leave`. A statement that
    // is interrupted outside of it waits for its reader, not for the engine.
    void enter() { is_inside_ = true; }
    void leave() { is_inside_ = false; }

   private:
    friend class Interrupter;
    struct Wake {
      Watch* watch;
      void operator()() const { watch->owner_.stop(*watch); }
    };

    Interrupter& owner_;
    const duckdb_connection connection_;
    const RunLimits limits_;
    std::atomic<bool> is_inside_{true};
    Cause cause_ = Cause::kNone;  // Guarded by the owner's mutex, as are the two below.
    Monotonic caused_;
    MemoryWatch::Share memory_;
    std::list<Watch*>::iterator place_;
    std::optional<std::stop_callback<Wake>> on_stop_;  // Last: it may run at once, on this thread.
  };

  // A statement has been inside the engine for `stuck_after` since it was first interrupted.
  bool is_stuck() const { return is_stuck_; }

 private:
  void stop(Watch& watch);
  void run(const std::stop_token& stop);
  Monotonic interrupt_due() SLUICE_REQUIRES(mutex_);  // Returns when to look again.
  void interrupt_heaviest(Monotonic now) SLUICE_REQUIRES(mutex_);
  void interrupt(Watch& watch, Cause cause, Monotonic now);

  const Options options_;
  std::atomic<bool> is_stuck_{false};
  mutable Mutex mutex_;
  CondVar changed_;
  std::list<Watch*> watches_ SLUICE_GUARDED_BY(mutex_);  // Each takes itself out before it dies.
  MemoryWatch memory_ SLUICE_GUARDED_BY(mutex_);
  bool has_news_ SLUICE_GUARDED_BY(mutex_) = false;
  BackgroundThread thread_;
};

}  // namespace sluice::engine::duck
