#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/config/authorization_spec.h"
#include "sluice/config/environment.h"

#include "yaml_map.h"

namespace sluice::config {

// `authorization` of an upstream. Nothing where it has none.
Result<std::optional<AuthorizationSpec>> read_authorization(YamlMap& upstream,
                                                            const Environment& environment);

}  // namespace sluice::config
