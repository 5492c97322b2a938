#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/commands/check.h"

namespace sluice::commands {

// How many datasets each collection has, and which of its files cannot be read and why. Reads all of them.
std::vector<wiring::CheckLine> check_collections(const config::Config& config, const CheckRequest& request);

}  // namespace sluice::commands
