#pragma once

#include <string>

#include "sluice/config/config.h"

namespace sluice::wiring {

// What a model is told before its first call: how to use the tools that the configuration offers. A list of
// the tables may follow it.
std::string instructions_of(const config::Config& config);

}  // namespace sluice::wiring
