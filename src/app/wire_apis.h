#pragma once

#include <string>
#include <vector>

#include "sluice/apis/api_spec.h"
#include "sluice/app/serve.h"
#include "sluice/base/result.h"
#include "sluice/json/value.h"

#include "yaml_map.h"

namespace sluice::app {

// The `apis:` section of the configuration that is called `name`.
Result<std::vector<apis::ApiSpec>> read_apis(YamlMap& config, const std::string& name);

// Whether each API can be reached, or why not. All are asked at once, for a few seconds.
std::vector<CheckLine> check_apis(const Config& config);

// The same for the tool that diagnoses.
json::Array diagnose_apis(const Config& config);

}  // namespace sluice::app
