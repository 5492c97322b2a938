#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/contents/uri_query.h"
#include "sluice/protocol/model/resource.h"

#include "repository.h"

namespace sluice::git {

// What is wanted of the tree of a commit.
struct TreeRequest {
  git_oid commit{};
  std::vector<std::string> names;  // The path; empty for the root.
  std::string ref;                 // For the URIs of what a folder holds.
  std::string prefix;              // Of those URIs: "git://", or with the repository's name.
  std::string uri;                 // As the caller wrote it.
  bool is_folder = false;          // A file is not meant.
  contents::Range range;
  std::string after = {};       // Of a folder: the last name that the caller has. Empty: from the first.
  std::size_t room = SIZE_MAX;  // See contents::read_room.
};

// A file as its contents, a folder as its listing. A link gives its target, a submodule its commit, a pointer
// of LFS itself; `_meta` says so.
Result<protocol::ResourceContents> read_tree(const Repository& repository, const TreeRequest& request);

// Names in a folder of the tree; those of folders end with a slash.
Result<std::vector<std::string>> names_in(const Repository& repository, const git_oid& commit,
                                          const std::vector<std::string>& folder);

}  // namespace sluice::git
