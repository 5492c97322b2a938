#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/config/environment.h"
#include "sluice/json/value.h"
#include "sluice/wiring/source_check.h"

namespace sluice::wiring {

// Whether each configured portal can be reached, or why not. All are asked at once, for a few seconds.
std::vector<CheckLine> check_portals(const config::Config& config);

// The same for the tool that diagnoses.
json::Array describe_portals(const config::Config& config);

}  // namespace sluice::wiring
