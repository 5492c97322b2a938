#pragma once

#include <cstdint>
#include <memory>

#include "sluice/base/result.h"
#include "sluice/engine/source.h"

namespace sluice::engine {

// How much of a table is kept in memory.
struct KeptBounds {
  std::uint64_t rows_max = 0;
  std::uint64_t bytes_max = 0;
};

// Reads rows to their end and keeps them as a source that can be read any number of times. Null if they are
// more than the bounds allow; then they have been read no further than that. The columns must be of types
// that databases have.
Result<std::shared_ptr<Source>> keep_rows(Rows& rows, const KeptBounds& bounds);

}  // namespace sluice::engine
