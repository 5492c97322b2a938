#pragma once

#include <string>

#include "sluice/base/result.h"
#include "sluice/config/config.h"

#include "yaml_map.h"

namespace sluice::config {

// `public_url` of the `server:` section: scheme, host and port. Empty if it is absent.
Result<std::string> read_public_url(YamlMap& server);

// The sections `downloads:` and `rest:`. `config.server` has been read.
Status read_exports(YamlMap& file, Config& config);

}  // namespace sluice::config
