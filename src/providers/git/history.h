#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/base/result.h"

#include "page_request.h"
#include "repository.h"
#include "words.h"

namespace sluice::git {

// What a history says of a commit.
struct CommitLine {
  git_oid id{};
  std::vector<git_oid> parents;
  Person author;
  std::string subject;
};
Result<CommitLine> describe_commit(const Repository& repository, const git_oid& id);

struct HistoryRequest {
  git_oid start{};
  std::size_t limit = 0;
  std::optional<git_oid> after;  // The last commit that the caller has.
  Form form = Form::kText;       // Of the answer, whose size bounds the page as well:
  std::size_t bytes_max = 0;     // it ends with the commit that reaches this.
  std::string path;              // Only commits that changed it. Empty: all.
};
struct History {
  std::vector<CommitLine> commits;
  std::optional<git_oid> next_after;  // There is more behind this one.
};
// In git's own order: newest first. A search for commits of a path gives what it has found after some
// seconds. kNotFound where `after` is not in the history.
Result<History> read_history(const Repository& repository, const HistoryRequest& request);

}  // namespace sluice::git
