#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/contents/served_folder.h"

#include "source_kind.h"

namespace sluice::wiring {

// How many pages each folder has, or why it cannot be read.
std::vector<CheckLine> check_docs(const config::Config& config);

Status add_docs(const config::Config& config, Providers& providers);
json::Array describe_docs(const config::Config& config);

}  // namespace sluice::wiring
