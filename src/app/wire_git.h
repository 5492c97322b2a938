#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/app/serve.h"
#include "sluice/base/result.h"
#include "sluice/git/git_provider.h"
#include "sluice/json/value.h"

#include "yaml_map.h"

namespace sluice::app {

// The `git:` section of the configuration that is called `name`.
Result<std::vector<git::RepositorySpec>> read_repositories(YamlMap& config, const std::string& name);

// The repository that a folder of the command line is: one with a .git folder right in it that can be served.
std::optional<git::RepositorySpec> repository_of_source(const std::string& path);

// Adds the repository under a name that none of the others has.
void add_repository(git::RepositorySpec repository, std::vector<git::RepositorySpec>& repositories);

// What each repository offers, or why it does not.
std::vector<CheckLine> check_repositories(const Config& config);

// The same for `diagnose`.
json::Object describe_repository(const git::RepositorySpec& repository);

}  // namespace sluice::app
