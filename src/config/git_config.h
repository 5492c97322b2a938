#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/git/git_provider.h"

#include "yaml_map.h"

namespace sluice::config {

// The `git:` section of the configuration that is called `name`.
Result<std::vector<git::RepositorySpec>> read_repositories(YamlMap& config, const std::string& name);

// The repository that a folder of the command line is: one with a .git folder right in it that can be served.
std::optional<git::RepositorySpec> repository_of_source(const std::string& path);

// Adds the repository under a name that none of the others has.
void add_repository(git::RepositorySpec repository, std::vector<git::RepositorySpec>& repositories);

}  // namespace sluice::config
