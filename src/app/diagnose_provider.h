#pragma once

#include <memory>

#include "sluice/app/config.h"
#include "sluice/catalog/provider.h"

#include "data_stack.h"

namespace sluice::app {

// The tool `diagnose`: what this server is, what it serves, and what of it works. `data` may be null, and
// outlives it.
std::shared_ptr<catalog::Provider> make_diagnose_provider(const Config& config, const DataStack* data);

}  // namespace sluice::app
