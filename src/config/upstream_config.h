#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/environment.h"
#include "sluice/config/upstream_spec.h"

#include "yaml_map.h"

namespace sluice::config {

// `upstreams`, `upstreams_file`, `artifacts`, `pins`, `token_store`, `tool_names` and `connect_wait` of the
// configuration called `name`.
Result<GatewayConfig> read_upstreams(YamlMap& config, const std::string& name,
                                     const Environment& environment);

// One upstream. Its keys are asked for, but others are not looked for: `section` knows them (see YamlMap).
Result<UpstreamSpec> read_upstream(YamlMap& section, const std::string& name, const std::string& file,
                                   const Environment& environment);
// Fails if another one has the same namespace, or there are too many.
Status add_upstream(UpstreamSpec spec, std::vector<UpstreamSpec>& all);

}  // namespace sluice::config
