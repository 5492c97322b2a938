#pragma once

#include <memory>

#include "sluice/app/config.h"
#include "sluice/catalog/provider.h"
#include "sluice/query/registry.h"

namespace sluice::app {

// The tool `diagnose`: what this server is, what it serves, and what of it works.
std::shared_ptr<catalog::Provider> make_diagnose_provider(const Config& config,
                                                          const query::Registry* registry);

}  // namespace sluice::app
