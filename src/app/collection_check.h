#pragma once

#include <vector>

#include "sluice/app/serve.h"
#include "sluice/base/result.h"

namespace sluice::app {

// How many datasets each collection has, and which of its files cannot be read and why. Reads all of them.
std::vector<CheckLine> check_collections(const Config& config, const CheckRequest& request);

}  // namespace sluice::app
