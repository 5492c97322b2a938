#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::sheets {

// What a number format shows a number as.
enum class NumberUse : std::uint8_t { kNumber, kDate, kDateTime, kTime, kDuration };

// Of a format that applications know by its number alone.
NumberUse use_of_builtin_format(std::uint32_t id);
// Of a format's code: `dd/mm/yyyy`, `[h]:mm`, `#,##0.00 "days"`.
NumberUse use_of_format_code(std::string_view code);

}  // namespace sluice::sheets
