#pragma once

#include "sluice/base/result.h"

#include "handles.h"

namespace sluice::engine::duck {

// Registers is_among(VARCHAR, VARCHAR), see sluice/engine/value_set.h.
Status register_value_set(duckdb_connection connection);

}  // namespace sluice::engine::duck
