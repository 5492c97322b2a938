#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

struct BufferOptions {
  std::string folder;  // Absolute; where buffers beyond `memory_bytes_max` go. Empty: they stay in memory.
  std::uint64_t memory_bytes_max = std::uint64_t{4} << 20;  // Of one buffer, before it is written to a file.
  std::uint64_t bytes_max = std::uint64_t{64} << 20;        // Of all buffers together, files included.
};

// The memory and disk space that all row buffers of an engine share. It must outlive them. Any thread.
class BufferSpace {
 public:
  explicit BufferSpace(BufferOptions options) : options_(std::move(options)) {}

  const BufferOptions& options() const { return options_; }
  Status take(std::uint64_t bytes);  // "too_many_tables" if there is no room.
  void give_back(std::uint64_t bytes) { used_ -= bytes; }
  std::uint64_t used() const { return used_; }

 private:
  const BufferOptions options_;
  std::atomic<std::uint64_t> used_{0};
};

// Reads `rows` to their end and returns the same rows again, which need `rows` no more: whatever `rows` used,
// such as a connection, is free then. The columns must be of types that cell_bytes() knows.
Result<std::unique_ptr<Rows>> buffer_rows(Rows& rows, BufferSpace& space);

}  // namespace sluice::engine
