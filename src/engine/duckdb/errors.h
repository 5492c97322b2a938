#pragma once

#include <string_view>

#include "sluice/base/error.h"

namespace sluice::engine::duck {

// DuckDB's message ("Binder Error: …") as an Error. Only its first line is kept, without the names of files.
Error error_of(const char* message);

// The code of errors after which the database is of no use.
inline constexpr std::string_view kBrokenEngine = "engine_failed";

}  // namespace sluice::engine::duck
