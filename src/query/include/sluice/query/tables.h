#pragma once

#include <memory>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/cache/cache.h"
#include "sluice/engine/engine.h"
#include "sluice/query/dataset.h"

namespace sluice::query {

// The tables of datasets, looked at once for each version of the data. Any thread.
class Tables {
 public:
  explicit Tables(const Clock& clock) : cache_(clock) {}  // `clock` must outlive it.

  Result<std::shared_ptr<const Table>> get(engine::Engine& engine, const Dataset& dataset,
                                           const engine::RunLimits& limits);

 private:
  cache::Cache<Table> cache_;
};

}  // namespace sluice::query
