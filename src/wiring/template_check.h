#pragma once

#include <vector>

#include "sluice/config/config.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// Of each template with a statement whether its database takes the statement, or why not. No row is read.
std::vector<CheckLine> check_templates(const config::Config& config);

}  // namespace sluice::wiring
