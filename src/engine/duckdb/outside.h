#pragma once

#include <memory>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/engine/source.h"

#include "duckdb/handles.h"

namespace sluice::engine::duck {

// Makes `outside(17)` a table of the rows that were offered under that number.
Status register_outside(duckdb_connection connection, std::shared_ptr<const Sources> sources);

// Why the source failed that a message of the engine speaks of; nothing where it speaks of none.
std::optional<Error> error_from_outside(const Sources& sources, std::string_view message);

}  // namespace sluice::engine::duck
