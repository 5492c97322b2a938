#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

// Counts the bytes that databases send to one statement, and ends its reads beyond a bound. Any thread.
class TransferMeter {
 public:
  explicit TransferMeter(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  Status add(std::uint64_t bytes);  // kTransferLimit beyond the bound.
  std::uint64_t bytes() const { return bytes_; }

 private:
  const std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> bytes_{0};
};

// The size of the cells and texts of a batch.
std::uint64_t bytes_of(const Batch& batch);

// The same rows, counted as they are read. `meter` must outlive them.
std::unique_ptr<Rows> metered_rows(std::unique_ptr<Rows> rows, TransferMeter& meter);

}  // namespace sluice::engine
