#include "completion.h"

#include <string>
#include <utility>
#include <vector>

#include "sluice/base/text.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/resource_path.h"

#include "git_uri.h"
#include "ref.h"
#include "ref_list.h"
#include "tree_contents.h"

namespace sluice::git {

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
