#pragma once

#include <vector>

#include "sluice/config/config.h"
#include "sluice/wiring/source_check.h"

namespace sluice::commands {

// The `tools:` section: patterns that match no tool, and defined tools that do not work with their example.
// It opens all that is configured, as `serve` does, but only if the section has something to check.
std::vector<wiring::CheckLine> check_tools(const config::Config& config);

}  // namespace sluice::commands
