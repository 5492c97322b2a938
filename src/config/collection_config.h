#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/collections/collection_spec.h"

#include "yaml_map.h"

namespace sluice::config {

// The `collections:` section of the configuration that is called `name`.
Result<std::vector<collections::CollectionSpec>> read_collections(YamlMap& config, const std::string& name);

}  // namespace sluice::config
