#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/config/config.h"
#include "sluice/config/environment.h"

#include "yaml_map.h"

namespace sluice::config {

// The `auth:` section. `server` has been read: issuers need its public URL.
Status read_auth(YamlMap& file, const std::string& name, const Environment& environment, Config& config);

}  // namespace sluice::config
