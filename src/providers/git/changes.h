#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/json/writer.h"

#include "page_request.h"
#include "repository.h"

namespace sluice::git {

inline constexpr std::size_t kRenameFilesMax = 1'000;  // Among more, renames are not looked for.
inline constexpr std::size_t kRenameSourcesMax = 200;  // Looking takes the square of it.

struct ChangedFile {
  char status = 'M';  // As git has it: A, D, M, R, C, T.
  std::string path;
  std::string old_path;  // Where it was renamed or copied.
  std::size_t additions = 0;
  std::size_t deletions = 0;
  bool is_binary = false;
};

// What differs between two trees.
struct Changes {
  std::vector<ChangedFile> files;  // Some of them, from the one with which the page begins.
  std::size_t total = 0;
  std::string patch;          // Text: of whole files, until there is enough of it.
  bool is_patch_cut = false;  // There is more of it.
};

// `from` may be null: everything is new. Text has the patch, JSON the numbers of lines instead.
Result<Changes> compare(const Repository& repository, git_tree* from, git_tree* to,
                        const PageRequest& request);

// The letter that git has for a status of libgit2.
char status_letter(git_delta_t status);

// "M\tpath" for each file, and how many more there are; then the patch.
std::string changes_text(const Changes& changes);
// The fields `files`, `total`.
void write_changes(const Changes& changes, json::Writer& out);

}  // namespace sluice::git
