#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/contents/served_folder.h"
#include "sluice/files/files_provider.h"

#include "yaml_map.h"

namespace sluice::config {

// The `files:` section of the configuration that is called `name`.
Result<std::vector<files::FolderSpec>> read_files(YamlMap& config, const std::string& name);

// The `docs:` section of the configuration that is called `name`.
Result<std::vector<contents::FolderSpec>> read_docs(YamlMap& config, const std::string& name);

}  // namespace sluice::config
