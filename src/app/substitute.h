#pragma once

#include <string>
#include <string_view>

#include "sluice/app/environment.h"
#include "sluice/base/result.h"

namespace sluice::app {

// Replaces ${NAME} by the value of that variable, and $${ by a literal ${. An unset variable is an error that
// names it.
Result<std::string> substitute(std::string_view text, const Environment& environment);

}  // namespace sluice::app
