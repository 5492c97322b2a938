#pragma once

#include <string>
#include <vector>

#include "sluice/app/serve.h"
#include "sluice/base/result.h"
#include "sluice/contents/served_folder.h"

#include "yaml_map.h"

namespace sluice::app {

// The `docs:` section of the configuration that is called `name`.
Result<std::vector<contents::FolderSpec>> read_docs(YamlMap& config, const std::string& name);

// How many pages each folder has, or why it cannot be read.
std::vector<CheckLine> check_docs(const Config& config);

}  // namespace sluice::app
