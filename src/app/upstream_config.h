#pragma once

#include <string>
#include <vector>

#include "sluice/app/environment.h"
#include "sluice/app/upstream_spec.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// `upstreams`, `upstreams_file`, `artifacts`, `pins`, `token_store` and `tool_names` of the configuration
// called `name`.
Result<GatewayConfig> read_upstreams(YamlMap& config, const std::string& name,
                                     const Environment& environment);

// Paths of the files that `upstreams_file` of a configuration names. Nothing where it cannot be told.
std::vector<std::string> upstream_files_of(const std::string& text, const std::string& name,
                                           const Environment& environment);

}  // namespace sluice::app
