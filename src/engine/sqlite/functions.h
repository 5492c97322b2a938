#pragma once

#include <set>
#include <string>

#include <sqlite3.h>

#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/sqlite.h"

namespace sluice::engine::sqlite {

// Registers median(number), shown_text(value), fitting(value, type) and the functions of `options`, and adds
// their names, in lower case, to `names`.
Status register_functions(sqlite3* connection, const SqliteOptions& options,
                          std::set<std::string, std::less<>>& names);

}  // namespace sluice::engine::sqlite
