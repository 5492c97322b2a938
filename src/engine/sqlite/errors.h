#pragma once

#include <string_view>

#include "sluice/base/error.h"

namespace sluice::engine::sqlite {

// What the function fitting() reports; it becomes "column_type_changed".
inline constexpr std::string_view kMisfit = "a value does not fit the type of its column";

// What SQLite reports, by its extended result code, as an Error. `message` is its own, used where it is
// about the statement only: those about files are not a caller's to know.
Error error_of(int code, const char* message);

}  // namespace sluice::engine::sqlite
