#pragma once

#include <string>

#include "sluice/app/environment.h"
#include "sluice/app/upstream_spec.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// `upstreams`, `upstreams_file`, `artifacts`, `pins` and `tool_names` of the configuration called `name`.
Result<GatewayConfig> read_upstreams(YamlMap& config, const std::string& name,
                                     const Environment& environment);

}  // namespace sluice::app
