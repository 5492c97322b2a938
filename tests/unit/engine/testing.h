#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"

namespace sluice::engine {

inline std::unique_ptr<Engine> open_engine(EngineOptions options = {}) {
  Result<std::unique_ptr<Engine>> engine = open_duckdb(options);
  EXPECT_TRUE(engine.ok()) << (engine.ok() ? "" : engine.error().message);
  return std::move(engine).value();
}

// The first column of all rows, which must be integers.
inline Result<std::vector<std::int64_t>> integers(Engine& engine, Statement statement,
                                                  RunLimits limits = {}) {
  SLUICE_TRY(const std::unique_ptr<Rows> rows, engine.query(statement, limits));
  std::vector<std::int64_t> out;
  while (true) {
    SLUICE_TRY(const Batch* batch, rows->next());
    if (batch == nullptr) return out;
    for (std::size_t row = 0; row < batch->rows; ++row) {
      const Column& column = batch->columns.front();
      out.push_back(column.type->id == TypeId::kInt32 ? column.at<std::int32_t>(row)
                                                      : column.at<std::int64_t>(row));
    }
  }
}

}  // namespace sluice::engine
