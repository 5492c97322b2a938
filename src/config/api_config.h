#pragma once

#include <string>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::config {

// The `apis:` section of the configuration that is called `name`.
Result<std::vector<apis::ApiSpec>> read_apis(YamlMap& config, const std::string& name);

}  // namespace sluice::config
