#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::sheets {

Error damaged_book(std::string_view what);
Error unsupported_book(std::string_view what, std::string_view hint);
Error too_large_book(std::string_view what, std::uint64_t limit);

}  // namespace sluice::sheets
