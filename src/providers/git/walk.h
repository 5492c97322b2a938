#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <queue>
#include <set>
#include <vector>

#include "sluice/base/result.h"

#include "repository.h"

namespace sluice::git {

struct OidLess {
  bool operator()(const git_oid& a, const git_oid& b) const { return git_oid_cmp(&a, &b) < 0; }
};

// The commits that a commit comes from, itself first, in git's own order: the latest next, and of those of
// one time the one that was met first. Where a parent is not there, as in a shallow clone, history ends.
class Walk {
 public:
  // The repository outlives the walk.
  static Result<Walk> begin(const Repository& repository, const git_oid& start);

  Result<std::optional<git_oid>> next();  // Nothing at the end.
  // Goes on behind a commit. kNotFound where it does not come.
  Status skip_to(const git_oid& commit);

 private:
  struct Waiting {
    std::int64_t time = 0;
    std::size_t met = 0;
    git_oid id{};
    std::vector<git_oid> parents;

    bool operator<(const Waiting& other) const {
      return time != other.time ? time < other.time : met > other.met;
    }
  };

  explicit Walk(const Repository& repository) : repository_(&repository) {}
  Status add(const git_oid& id);

  const Repository* repository_;
  std::priority_queue<Waiting> waiting_;
  std::set<git_oid, OidLess> met_;
};

}  // namespace sluice::git
