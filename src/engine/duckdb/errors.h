#pragma once

#include "sluice/base/error.h"

namespace sluice::engine::duck {

// DuckDB's message ("Binder Error: …") as an Error. Only its first line is kept, without the names of files.
Error error_of(const char* message);

}  // namespace sluice::engine::duck
