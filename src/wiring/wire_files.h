#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/files/files_provider.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// How much each folder offers, or why it does not.
std::vector<CheckLine> check_files(const config::Config& config);

}  // namespace sluice::wiring
