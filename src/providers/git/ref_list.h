#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/base/result.h"

#include "page_request.h"
#include "repository.h"

namespace sluice::git {

// Branches of this repository and of its remotes, or tags: "refs/heads/main". Names that are none by git's
// rules are left out. At most some tens of thousands.
Result<std::vector<std::string>> ref_names(const Repository& repository, std::string_view folder);

// The branch of HEAD: "main", also where it has no commit yet. "" where a commit is checked out, not a
// branch.
Result<std::string> head_branch(const Repository& repository);

// What `git://branches` and `git://tags` answer.
Result<RenderedPage> render_branches(const Repository& repository, const PageRequest& request);
Result<RenderedPage> render_tags(const Repository& repository, const PageRequest& request);

}  // namespace sluice::git
