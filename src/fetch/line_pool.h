#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <stop_token>
#include <string>

#include "sluice/base/clock.h"
#include "sluice/base/mutex.h"
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

  // How many lines there are at a time, and how many of them are kept for later.
  LinePool(std::size_t lines_max, std::size_t idle_lines_max)
      : lines_max_(lines_max), idle_lines_max_(idle_lines_max) {}

  // Waits while all are in use.
  Result<Lease> take(const std::string& origin, const Clock& clock, Monotonic deadline, std::stop_token stop);

 private:
  void give_back(std::unique_ptr<Line> line);

  const std::size_t lines_max_;
  const std::size_t idle_lines_max_;
  Mutex mutex_;
  CondVar freed_;
  std::list<std::unique_ptr<Line>> idle_ SLUICE_GUARDED_BY(mutex_);  // The last used first.
  std::size_t used_ SLUICE_GUARDED_BY(mutex_) = 0;
};

}  // namespace sluice::fetch
