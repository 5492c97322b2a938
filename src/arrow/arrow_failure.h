#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::arrow {

Error damaged_arrow(std::string_view what);
Error unsupported_arrow(std::string_view what);
Error too_large_arrow(std::string_view what, std::uint64_t limit);

}  // namespace sluice::arrow
