#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/uri.h"
#include "sluice/contents/uri_query.h"

namespace sluice::git {

inline constexpr std::string_view kBaseUri = "git://";

enum class Subject : std::uint8_t { kLog, kStatus, kBranches, kTags, kCommit, kDiff, kAtRef };

// What a URI of ours says. Words that mean something (log, commit, commits …) do so only as they are written
// here: with one letter percent-encoded, `%63ommits`, they are names like any other.
struct GitUri {
  std::string repository;  // Where there are several.
  Subject subject = Subject::kAtRef;
  std::string argument;               // The id of a commit, or the range of a diff.
  std::vector<std::string> segments;  // kAtRef: ref and path, decoded.
  bool is_folder = false;             // kAtRef: ends with a slash.
  bool may_be_commits = false;        // kAtRef: the last segment is the word `commits`.
  bool is_json = false;
  contents::Range range;  // Bytes of text, or entries of a list in JSON.
  std::size_t limit = 0;  // 0: not given.
  std::string after;      // The last commit, or the last name in a folder, that the caller has.
  std::string path;
};

enum class Naming : std::uint8_t { kOne, kSeveral };  // Repositories.

// Nothing where the URI is malformed, or has a parameter that its kind does not have.
std::optional<GitUri> parse_uri(const ResourceUri& uri, Naming naming);

// URIs as answers have them. `prefix` is "git://" or "git://name/".
std::string uri_prefix(std::string_view repository, Naming naming);
std::string uri_at(std::string_view prefix, std::string_view ref, std::string_view path);

// A path as a value of {+path}: at the root, `commits` is a word.
std::string path_value(std::string_view path);

}  // namespace sluice::git
