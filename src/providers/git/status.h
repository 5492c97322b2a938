#pragma once

#include "sluice/base/result.h"

#include "page_request.h"
#include "repository.h"

namespace sluice::git {

// What `git://status` answers: the branch, then what differs between HEAD, the index and the working tree, as
// `git status --porcelain` writes it. Links are not followed, submodules not entered, nothing is written. The
// repository must have been opened with its files.
Result<RenderedPage> render_status(const Repository& repository, const PageRequest& request);

}  // namespace sluice::git
