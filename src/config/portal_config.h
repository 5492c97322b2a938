#pragma once

#include <optional>
#include <string>

#include "sluice/base/result.h"
#include "sluice/ckan/portal_spec.h"
#include "sluice/config/environment.h"

#include "yaml_map.h"

namespace sluice::config {

// `portals`, `portals_only` and `ckan` of the configuration that is called `name`, and the proxies of the
// environment. Nothing where there is no `portals`.
Result<std::optional<ckan::CkanSpec>> read_portals(YamlMap& config, const std::string& name,
                                                   const Environment& environment);

}  // namespace sluice::config
