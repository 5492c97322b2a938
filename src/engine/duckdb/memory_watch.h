#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "sluice/base/clock.h"

namespace sluice::engine::duck {

// The memory of this process that is its own: not that of files it has mapped. 0 if the system does not tell.
// Takes about 10 microseconds.
std::uint64_t process_memory_bytes();

// DuckDB does not count everything against its memory limit: what aggregates such as median keep is missing.
// So the memory of the whole process is measured while statements run, and what it grows by is attributed to
// them in equal parts. Not synchronised.
class MemoryWatch {
 public:
  struct Options {
    std::uint64_t bytes_max = 0;  // By how much the process may have grown since the start; 0: no bound.
    std::function<std::uint64_t()> measure = process_memory_bytes;
    std::chrono::milliseconds interval{50};
  };
  // What one statement is thought to hold.
  struct Share {
    std::uint64_t bytes = 0;
  };

  explicit MemoryWatch(Options options);

  // Measures if it is time to, and returns the statement to end: the one with the largest share, if the
  // process is above the bound and that share matters. Null: none.
  Share* look(Monotonic now, const std::vector<Share*>& running);
  Monotonic next(Monotonic now) const;

 private:
  const Options options_;
  const std::uint64_t bytes_max_;  // Of the process.
  std::uint64_t last_bytes_ = 0;
  Monotonic last_look_;
};

}  // namespace sluice::engine::duck
