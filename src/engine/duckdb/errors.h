#pragma once

#include "sluice/base/error.h"

namespace sluice::engine::duck {

// DuckDB's message ("Binder Error: …") as an Error. Only its first line is kept, without the names of files.
Error error_of(const char* message);

// Whether the database is of no use after this error.
bool is_breaking(const Error& error);

}  // namespace sluice::engine::duck
