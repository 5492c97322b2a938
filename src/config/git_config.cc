#include "git_config.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"

#include "named_folder.h"

namespace sluice::config {

Result<std::vector<git::RepositorySpec>> read_repositories(YamlMap& config, const std::string& name) {
  SLUICE_TRY(std::vector<NamedFolder> named, read_named_folders(config, "git", name));
  std::vector<git::RepositorySpec> repositories;
  for (NamedFolder& folder : named) {
    git::RepositorySpec& spec = repositories.emplace_back(
        git::RepositorySpec{.name = std::move(folder.name), .path = std::move(folder.path)});
    spec.ttl = folder.ttl.value_or(spec.ttl);
  }
  return repositories;
}

std::optional<git::RepositorySpec> repository_of_source(const std::string& path) {
  std::error_code reason;
  const std::filesystem::path folder = std::filesystem::canonical(path, reason);
  if (reason || !std::filesystem::is_directory(folder / ".git", reason)) return std::nullopt;
  git::RepositorySpec repository{.name = folder.filename().string(), .path = folder.string()};
  if (repository.name.empty() || !is_valid_utf8(repository.name)) repository.name = "repository";
  if (!git::summarize(repository).ok()) return std::nullopt;
  return repository;
}

void add_repository(git::RepositorySpec repository, std::vector<git::RepositorySpec>& repositories) {
  const std::string name = repository.name;
  const auto is_taken = [&] {
    return std::any_of(repositories.begin(), repositories.end(),
                       [&](const git::RepositorySpec& other) { return other.name == repository.name; });
  };
  for (std::size_t i = 2; is_taken(); ++i) repository.name = fmt::format("{}-{}", name, i);
  repositories.push_back(std::move(repository));
}

}  // namespace sluice::config
