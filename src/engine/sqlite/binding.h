#pragma once

#include <vector>

#include <sqlite3.h>

#include "sluice/base/result.h"
#include "sluice/engine/sql.h"

namespace sluice::engine::sqlite {

// Binds $1, $2, … by their numbers: SQLite itself numbers such names in the order in which they occur. As
// many values as there are placeholders.
Status bind_values(sqlite3_stmt* statement, const std::vector<Parameter>& values);

}  // namespace sluice::engine::sqlite
