#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/app/environment.h"
#include "sluice/app/serve.h"
#include "sluice/base/result.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/json/value.h"

#include "yaml_map.h"

namespace sluice::app {

// `portals`, `portals_only` and `ckan` of the configuration that is called `name`, and the proxies of the
// environment. Nothing where there is no `portals`.
Result<std::optional<ckan::CkanSpec>> read_portals(YamlMap& config, const std::string& name,
                                                   const Environment& environment);

// Whether each configured portal can be reached, or why not. All are asked at once, for a few seconds.
std::vector<CheckLine> check_portals(const Config& config);

// The same for the tool that diagnoses.
json::Array diagnose_portals(const Config& config);

}  // namespace sluice::app
