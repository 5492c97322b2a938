#pragma once

#include "sluice/base/result.h"
#include "sluice/engine/engine.h"

#include "handles.h"

namespace sluice::engine::duck {

// Makes `function` known to every statement of the database. It is copied.
Status register_function(duckdb_connection connection, const TextFunction& function);
Status register_function(duckdb_connection connection, const TextPairFunction& function);

}  // namespace sluice::engine::duck
