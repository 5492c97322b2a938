#pragma once

#include "sluice/engine/batch.h"
#include "sluice/engine/type.h"

#include "handles.h"

namespace sluice::engine::duck {

Type type_of(duckdb_logical_type logical);
// Null for a type that rows of an external table cannot have; see is_readable in source.h.
LogicalType logical_type_of(const Type& type);

// A view of `vector`, whose cells have the given type. Both must outlive it.
Column column_of(duckdb_vector vector, const Type& type);

// Makes a row of `vector` null.
void set_null(duckdb_vector vector, idx_t row);

}  // namespace sluice::engine::duck
