#pragma once

#include <optional>
#include <string_view>

#include "sluice/base/error.h"

namespace sluice::expression {

// Why a statement that the engine cannot serialize is refused, if it is a PIVOT without the values to make
// columns of: the code `pivot_needs_values`, and the statement that lists them.
std::optional<Error> pivot_without_values(std::string_view sql);

}  // namespace sluice::expression
