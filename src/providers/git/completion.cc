#include "completion.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/resource_path.h"

#include "git_uri.h"
#include "ref.h"
#include "ref_list.h"
#include "tree_contents.h"
#include "walk.h"

namespace sluice::git {

namespace {

constexpr std::size_t kCommitsSearched = 2'000;  // For those that begin with what was typed.

// Commits whose id begins so, in the order of the history.
Result<std::vector<std::string>> commits_like(const Place& place, std::string_view typed,
                                              const catalog::Context& context) {
  SLUICE_TRY(const Repository repository,
             Repository::open(place, {.stop = context.stop(), .deadline = context.deadline()}));
  SLUICE_TRY(const git_oid head, find_ref(repository, "HEAD"));
  SLUICE_TRY(Walk walk, Walk::begin(repository, head));
  const std::string wanted = to_lower_ascii(typed);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kCommitsSearched && out.size() < kCompletionValuesMax; ++i) {
    SLUICE_TRY(const std::optional<git_oid> id, walk.next());
    if (!id) break;
    std::string hex = to_hex(*id);
    if (hex.starts_with(wanted)) out.push_back(std::move(hex));
  }
  return out;
}

}  // namespace

Result<protocol::Completion> complete_commit(const Place& place, std::string_view typed,
                                             const catalog::Context& context) {
  Result<std::vector<std::string>> commits = commits_like(place, typed, context);
  protocol::Completion out;
  if (commits.ok()) out.values = *std::move(commits);
  SLUICE_TRY(const protocol::Completion refs, complete_ref(place, typed, context));
  for (const std::string& ref : refs.values) {
    if (out.values.size() < kCompletionValuesMax) out.values.push_back(ref);
  }
  return out;  // Without a total: the history was not read to its end.
}

Result<protocol::Completion> complete_range(const Place& place, std::string_view typed,
                                            const catalog::Context& context) {
  const std::size_t dots = typed.find("..");
  const std::size_t begin = dots == std::string_view::npos ? 0 : typed.find_first_not_of('.', dots);
  const std::string before(typed.substr(0, begin));
  const std::string_view end = begin == std::string_view::npos ? "" : typed.substr(begin);
  SLUICE_TRY(protocol::Completion out, complete_ref(place, end, context));
  for (std::string& ref : out.values) ref = before + (before.empty() ? ref + ".." : ref);
  return out;
}

Result<protocol::Completion> complete_ref(const Place& place, std::string_view typed,
                                          const catalog::Context& context) {
  SLUICE_TRY(const Repository repository,
             Repository::open(place, {.stop = context.stop(), .deadline = context.deadline()}));
  std::vector<std::string> values = {"HEAD"};
  for (const std::string_view folder : {"refs/heads/", "refs/remotes/", "refs/tags/"}) {
    SLUICE_TRY(const std::vector<std::string> names, ref_names(repository, folder));
    for (const std::string& name : names) values.push_back(encode_controls(name.substr(folder.size())));
  }
  return contents::complete_among(std::move(values), typed);
}

Result<protocol::Completion> complete_path(const Place& place, std::string_view ref, std::string_view typed,
                                           const catalog::Context& context) {
  const std::string_view before = typed.substr(0, typed.rfind('/') + 1);
  std::vector<std::string> folder;
  if (!before.empty()) {
    const std::optional<std::string> path = contents::decode_path(contents::parent_folder(before));
    if (!path) return protocol::Completion{.values = {}, .total = 0};
    for (std::string_view rest = *path;;) {
      const std::size_t slash = rest.find('/');
      folder.emplace_back(rest.substr(0, slash));
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
  }
  SLUICE_TRY(const Repository repository,
             Repository::open(place, {.stop = context.stop(), .deadline = context.deadline()}));
  SLUICE_TRY(const git_oid commit, find_commit(repository, ref));
  SLUICE_TRY(const std::vector<std::string> names, names_in(repository, commit, folder));
  std::vector<std::string> values;
  for (const std::string& name : names) {
    if (!is_valid_utf8(name)) continue;  // It cannot be typed.
    values.push_back(std::string(before) +
                     (before.empty() ? path_value(name) : contents::template_value(name)));
  }
  return contents::complete_among(std::move(values), typed);
}

}  // namespace sluice::git
