#pragma once

#include <stop_token>
#include <string>

#include "sluice/base/result.h"

#include "repository.h"

namespace sluice::git {

// What `git://status` answers: the branch, then what differs between HEAD, the index and the working tree, as
// `git status --porcelain` writes it. Links are not followed, submodules not entered, nothing is written. The
// repository must have been opened with its files.
struct WorktreeStatus {
  std::string text;
  std::string json;
};
Result<WorktreeStatus> read_status(const Repository& repository);

}  // namespace sluice::git
