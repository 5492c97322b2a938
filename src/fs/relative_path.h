#pragma once

#include <string>
#include <string_view>

#include "sluice/base/result.h"

namespace sluice::fs {

// Whether `path` is one that may be looked up beneath a folder: components joined by single slashes, none of
// them empty, "." or "..", nothing longer than the system takes, no NUL. The empty path is the folder itself.
// One file has one spelling, so that a path can be a key.
Status check_relative(std::string_view path);

// "a/b/c" → "a/b" and "c"; "c" → "" and "c". Only for a checked path.
struct SplitPath {
  std::string_view folder;
  std::string_view name;
};
SplitPath split_path(std::string_view path);

// "a", "b" → "a/b"; "", "b" → "b".
std::string join_path(std::string_view folder, std::string_view name);

// Whether `path` is `folder` or lies beneath it: "a/b" is beneath "a", "ab" is not.
bool is_within(std::string_view path, std::string_view folder);

}  // namespace sluice::fs
