#pragma once

#include <cstdint>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// What a dataset also is if its source keeps earlier states.
class Versioned {
 public:
  virtual ~Versioned() = default;
  // The data as it was after an operation, by its number: a dataset of the call that asks.
  virtual Result<DatasetPtr> at_version(std::int64_t version, const engine::RunLimits& limits) const = 0;
};

}  // namespace sluice::query
