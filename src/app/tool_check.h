#pragma once

#include <vector>

#include "sluice/app/serve.h"

namespace sluice::app {

// The `tools:` section: patterns that match no tool, and defined tools that do not work with their example.
// It opens all that is configured, as `serve` does, but only if the section has something to check.
std::vector<CheckLine> check_tools(const Config& config);

}  // namespace sluice::app
