#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sluice/sheets/book.h"

#include "number_format.h"

namespace sluice::sheets {

// From which day a book counts its days.
enum class Epoch : std::uint8_t { k1900, k1904 };

// Sets the kind and the value of a cell by a number and what its format shows it as. Milliseconds are kept.
// False if there is no such date: applications show an error then.
bool set_number(Cell& cell, double number, NumberUse use, Epoch epoch);

// The same by a text as in ISO 8601: 2024-01-31, 2024-01-31T12:30:00.5Z or 12:30:00.
bool set_iso_moment(Cell& cell, std::string_view text);
// By a length: PT26H30M00.5S.
bool set_iso_duration(Cell& cell, std::string_view text);

}  // namespace sluice::sheets
