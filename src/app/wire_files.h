#pragma once

#include <string>
#include <vector>

#include "sluice/app/serve.h"
#include "sluice/base/result.h"
#include "sluice/files/files_provider.h"

#include "yaml_map.h"

namespace sluice::app {

// The `files:` section of the configuration that is called `name`.
Result<std::vector<files::FolderSpec>> read_files(YamlMap& config, const std::string& name);

// How much each folder offers, or why it does not.
std::vector<CheckLine> check_files(const Config& config);

}  // namespace sluice::app
