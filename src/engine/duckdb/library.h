#pragma once

#include <duckdb.h>

#include "sluice/base/result.h"

namespace sluice::engine::duck {

// The library is loaded with the first engine, not with the program: to link it takes longer than all else
// between the start and the first answer. In this namespace a function's name is a pointer, null until then.
#define SLUICE_DUCKDB_FUNCTION(name) extern decltype(&::name) name
#include "functions.inc"
#undef SLUICE_DUCKDB_FUNCTION

// Has to succeed before anything else of the library is used. Any thread; loads once, and what became of that
// stays.
Status load_library();

}  // namespace sluice::engine::duck
