#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"

namespace sluice::git {

// A local repository that is served: a folder with a .git folder in it, or a bare repository.
struct RepositorySpec {
  std::string name;  // With several, the first segment of their URIs. A file name; each is another.
  std::string path;
  std::chrono::milliseconds ttl{
      60'000};  // For how long a client may show what it has read, but for the status.
};

// Repositories as resources, `git://log`, `git://main/src/a.cc`: history, branches, tags, files at a ref,
// commits and diffs. Only their objects and refs are read: no configuration, hook, filter or other
// repository. Changes are told. Fails where one cannot be opened: repository_not_found,
// unsupported_repository.
Result<std::shared_ptr<catalog::Provider>> make_git_provider(const std::vector<RepositorySpec>& repositories);

// What a repository offers, for a report.
struct RepositorySummary {
  std::string branch;  // Of HEAD; "" where none is checked out.
  std::size_t branches = 0;
  std::size_t tags = 0;
  bool is_bare = false;
  bool has_alternates = false;  // Objects of other repositories are not read, so some may be missing.
};
Result<RepositorySummary> summarize(const RepositorySpec& repository);

}  // namespace sluice::git
