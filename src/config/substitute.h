#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"

namespace sluice::config {

// Replaces ${NAME} by the value of that variable, and $${ by a literal ${. An unset variable is an error that
// names it.
Result<std::string> substitute(std::string_view text, const Environment& environment);

}  // namespace sluice::config
