#pragma once

#include <string>

#include "sluice/app/config.h"

namespace sluice::app {

// What a model is told before its first call: how to use the tools that the configuration offers. A list of
// the tables may follow it.
std::string instructions_of(const Config& config);

}  // namespace sluice::app
