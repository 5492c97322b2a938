#pragma once

#include <vector>

#include "sluice/app/config.h"
#include "sluice/app/serve.h"

namespace sluice::app {

// Of each template with a statement whether its database takes the statement, or why not. No row is read.
std::vector<CheckLine> check_templates(const Config& config);

}  // namespace sluice::app
