#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/engine/batch.h"

namespace sluice::engine {

// The rows of a batch as bytes, for this process only. The columns must be of types that cell_bytes() knows.
std::string encode(const Batch& batch);

// What a decoded column needs besides the encoded bytes, which its fixed cells and long texts point into.
struct DecodedColumn {
  std::vector<std::uint64_t> valid;
  std::vector<TextCell> texts;
  std::unique_ptr<DecodedColumn> child;
};

// Reads what encode() has written. The bytes are our own: they are not checked.
class BatchDecoder {
 public:
  // The batch points into `bytes` and into this, until the next call.
  void decode(const std::string& bytes, const std::vector<Field>& columns, Batch& batch);

 private:
  std::vector<DecodedColumn> decoded_;
};

}  // namespace sluice::engine
