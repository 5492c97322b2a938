#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/files/files_provider.h"

#include "source_kind.h"

namespace sluice::wiring {

// How much each folder offers, or why it does not.
std::vector<CheckLine> check_files(const config::Config& config);

Status add_files(const config::Config& config, Providers& providers);
json::Array describe_files(const config::Config& config);

}  // namespace sluice::wiring
