#pragma once

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"

#include "line.h"

namespace sluice::fetch {

// The lines of a client. A line is used by one thread at a time, and given to the next that asks for the same
// origin, so connections are used again. Unlike with one thread that runs all transfers, a sink may take its
// time without holding up others, and nothing is handed from thread to thread. Any thread.
class LinePool {
 public:
  // Gives its line back when it goes.
  class Lease {
   public:
    Lease(LinePool& pool, std::unique_ptr<Line> line) : pool_(&pool), line_(std::move(line)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    Line* operator->() { return line_.get(); }

   private:
    LinePool* pool_;
    std::unique_ptr<Line> line_;  // Null once moved from.
  };

  // Waits while all are in use.
  Result<Lease> take(const std::string& origin, const Clock& clock, Monotonic deadline, std::stop_token stop);

 private:
  void give_back(std::unique_ptr<Line> line);

  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::list<std::unique_ptr<Line>> idle_;  // Guarded. The last used first.
  std::size_t used_ = 0;                   // Guarded.
};

}  // namespace sluice::fetch
