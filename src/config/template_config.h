#pragma once

#include <vector>

#include "sluice/base/result.h"
#include "sluice/config/config.h"

#include "yaml_map.h"

namespace sluice::config {

// The `templates:` section of a configuration whose other sections are in `config`: a template must lead to
// something that is configured.
Result<std::vector<templates::TemplateSpec>> read_templates(YamlMap& file, const Config& config);

}  // namespace sluice::config
