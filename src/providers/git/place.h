#pragma once

#include <stop_token>
#include <string>

#include "sluice/base/result.h"

namespace sluice::git {

// Where a repository is.
struct Place {
  std::string folder;      // As configured.
  std::string git_folder;  // The .git folder in it, or itself.
  bool is_bare = false;
};

// The repository in a folder: a .git folder, or the folder itself. A .git file or link leads elsewhere, as
// does a `commondir`, and is refused: unsupported_repository. repository_not_found where there is none.
Result<Place> find_repository(const std::string& folder);

// Whether the repository holds nothing that leads out of it or blocks: links or pipes where refs, objects and
// the index are. Looks at all names, so it is done once, not for each read.
Status check_repository(const Place& place);

// Whether objects of other repositories belong to it. They are not read.
bool has_alternates(const Place& place);

// Whether the working tree's files that tell libgit2 what to ignore are files of a decent size.
Status check_worktree(const Place& place, std::stop_token stop);

}  // namespace sluice::git
