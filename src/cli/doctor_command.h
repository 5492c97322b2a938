#pragma once

#include <vector>

#include "sluice/hosts/machine.h"
#include "sluice/wiring/source_check.h"

namespace sluice::cli {

// For each host on the machine: whether its configuration can be read, which of its servers are this program,
// and whether they start and answer. Starts them, each for some seconds at most.
std::vector<wiring::CheckLine> check_hosts(const hosts::Machine& machine);

}  // namespace sluice::cli
