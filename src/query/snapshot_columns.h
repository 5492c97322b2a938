#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

// Parquet has no place for some of the engine's types: 128-bit integers would become floating point, negative
// intervals would fail. A snapshot stores these as text, wherever they stand in a nested value. Each function
// returns a list for SELECT.
namespace sluice::query {

// What is written to the snapshot.
std::string stored_columns(const std::vector<engine::Field>& columns);

// What is read from the snapshot: the values with the types that they had. A union's text does not say which
// member it was, so unions stay text. Only the first `columns_max` columns.
std::string typed_columns(const std::vector<engine::Field>& columns, std::size_t columns_max = SIZE_MAX);

// What a Parquet file made of the snapshot holds: as stored, but a column of 128-bit integers is
// DECIMAL(38,0) where all of its values fit. `relation` is the snapshot for FROM.
struct ExportedColumns {
  std::string sql;
  bool is_as_stored = true;  // The snapshot's own file has the same columns.
};
Result<ExportedColumns> exported_columns(engine::Engine& engine, const std::vector<engine::Field>& columns,
                                         const std::string& relation, const engine::RunLimits& limits);

}  // namespace sluice::query
