#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/fs/file.h"

#include "flat_table.h"

namespace sluice::arrow {

// Up to `bytes` bytes from an offset on, however many they are; fewer only where the file ends.
Result<std::string> read_bytes(const fs::File& file, std::uint64_t offset, std::uint64_t bytes);

// Where the parts of one batch stand in a file, as its description says.
struct BatchLayout {
  enum class Codec : std::uint8_t { kNone, kLz4, kZstd };
  struct Node {
    std::uint64_t rows = 0;
    std::uint64_t nulls = 0;
  };
  struct Buffer {
    std::uint64_t offset = 0;  // From the beginning of the file.
    std::uint64_t bytes = 0;
  };
  std::uint64_t rows = 0;
  std::vector<Node> nodes;
  std::vector<Buffer> buffers;
  std::vector<std::uint64_t> variadic;  // How many buffers each column of views has beside its own.
  Codec codec = Codec::kNone;
};
// `batch` is a RecordBatch; its body stands at an offset of the file.
struct BodyPlace {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};
Result<BatchLayout> read_layout(const FlatTable& batch, const BodyPlace& body);

// Reads and unpacks buffers of one batch, within the bound for a batch. One thread at a time.
class BufferReader {
 public:
  // All must outlive it.
  BufferReader(const fs::File& file, const BatchLayout& layout, const engine::RunLimits& limits)
      : file_(file), layout_(layout), limits_(limits) {}

  // Fails if it has fewer than `bytes_min` bytes.
  Result<std::shared_ptr<const std::string>> read(std::size_t buffer, std::uint64_t bytes_min);
  const BatchLayout& layout() const { return layout_; }

 private:
  Status take(std::uint64_t bytes);

  const fs::File& file_;
  const BatchLayout& layout_;
  const engine::RunLimits& limits_;
  std::uint64_t taken_bytes_ = 0;
};

}  // namespace sluice::arrow
