#pragma once

#include <string>

#include "sluice/base/result.h"

namespace sluice::engine {

// The version of libduckdb.so, such as "1.5.6", which is loaded if no engine has done so. The errors name
// folders of this machine: they are for the operator, never for a client. Any thread.
Result<std::string> duckdb_version();

// Logs `engine.missing` if there is no file that could be libduckdb.so. Loads nothing: the first engine finds
// out, and logs, whether it can be used.
void warn_if_duckdb_is_missing();

}  // namespace sluice::engine
