#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"

#include "repository.h"

namespace sluice::git {

// Whether it could be the name of a ref, by git's own rules and no others: what means something to a command
// line, a path or git's language of revisions is no name.
bool is_ref_name(std::string_view text);

// Whether it could be an id: 4 to 40 hexadecimal digits.
bool is_object_id(std::string_view text);

// The commit that a ref leads to: HEAD, a tag, a branch or a remote branch, in this order, by its short or
// its full name. kNotFound where there is none, or the name is malformed.
Result<git_oid> find_ref(const Repository& repository, std::string_view name);

// The commit of an id, which may be shortened, or of the tag that it is of.
Result<git_oid> find_id(const Repository& repository, std::string_view text);

// Either.
Result<git_oid> find_commit(const Repository& repository, std::string_view text);

// How a URI's path, segment by segment, begins with a ref: `feature/x/src/a.cc`.
struct RefSplit {
  git_oid commit{};
  std::string ref;           // As it is written in a URI of our own, decoded.
  std::size_t segments = 0;  // How many of them it takes.
};
// The fewest segments that name a ref, else the first one as an id.
Result<RefSplit> split_ref(const Repository& repository, const std::vector<std::string>& segments);

}  // namespace sluice::git
