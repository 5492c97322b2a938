#pragma once

#include <vector>

#include "sluice/app/config.h"
#include "sluice/base/result.h"

#include "yaml_map.h"

namespace sluice::app {

// The `templates:` section of a configuration whose other sections are in `config`: a template must lead to
// something that is configured.
Result<std::vector<TemplateSpec>> read_templates(YamlMap& file, const Config& config);

}  // namespace sluice::app
