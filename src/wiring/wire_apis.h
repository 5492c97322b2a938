#pragma once

#include <string>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/base/result.h"
#include "sluice/json/value.h"

#include "source_kind.h"

namespace sluice::wiring {

// Whether each API can be reached, or why not. All are asked at once, for a few seconds.
std::vector<CheckLine> check_apis(const config::Config& config);

Status add_apis(const config::Config& config, Providers& providers);
json::Array describe_apis(const config::Config& config);

}  // namespace sluice::wiring
