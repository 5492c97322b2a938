#pragma once

#include "sluice/base/error.h"

namespace sluice::engine::sqlite {

// What SQLite reports, by its extended result code, as an Error. `message` is its own, used where it is
// about the statement only: those about files are not a caller's to know.
Error error_of(int code, const char* message);

}  // namespace sluice::engine::sqlite
