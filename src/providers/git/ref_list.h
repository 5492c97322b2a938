#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/base/result.h"

#include "repository.h"

namespace sluice::git {

// Branches of this repository and of its remotes, or tags: "refs/heads/main". Names that are none by git's
// rules are left out. At most some tens of thousands.
Result<std::vector<std::string>> ref_names(const Repository& repository, std::string_view folder);

// The branch of HEAD: "main", also where it has no commit yet. "" where a commit is checked out, not a
// branch.
Result<std::string> head_branch(const Repository& repository);

// What `git://branches` and `git://tags` answer.
Result<std::string> branches_text(const Repository& repository);
Result<std::string> branches_json(const Repository& repository);
Result<std::string> tags_text(const Repository& repository);
Result<std::string> tags_json(const Repository& repository);

}  // namespace sluice::git
