#include "status.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "sluice/json/writer.h"

#include "changes.h"
#include "ref.h"
#include "ref_list.h"
#include "words.h"

namespace sluice::git {

namespace {

constexpr std::size_t kEntriesMax = 100'000;

struct Letters {
  char staged = ' ';
  char unstaged = ' ';
  std::string old_path;  // Where a staged file was before it was renamed.
};
using Entries = std::map<std::string, Letters, std::less<>>;

int on_status_file(const git_diff*, const char*, const char*, void* payload) {
  return static_cast<ReadGate*>(payload)->has_time() ? 0 : GIT_EUSER;
}

int init_options(const Repository& repository, git_diff_options& options) {
  const int code = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags |= GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INCLUDE_TYPECHANGE;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  options.progress_cb = on_status_file;
  options.payload = &repository.gate();
  return code;
}

void add(const git_diff& diff, char Letters::*side, Entries& entries) {
  for (std::size_t i = 0; i < git_diff_num_deltas(&diff) && entries.size() < kEntriesMax; ++i) {
    const git_diff_delta* delta = git_diff_get_delta(&diff, i);
    if (delta->status == GIT_DELTA_UNMODIFIED || delta->status == GIT_DELTA_IGNORED) continue;
    const char* path = delta->status == GIT_DELTA_DELETED ? delta->old_file.path : delta->new_file.path;
    Letters& letters = entries[path];
    letters.*side = status_letter(delta->status);
    if (delta->status == GIT_DELTA_RENAMED) letters.old_path = delta->old_file.path;
    if (delta->status == GIT_DELTA_UNTRACKED) letters.staged = '?';
  }
}

// A file that was staged under another name, as git itself shows it. Among very many changes none are looked
// for: that takes the square of their number.
int find_renames(const Repository& repository, git_diff& staged) {
  if (git_diff_num_deltas(&staged) > kRenameFilesMax) return 0;
  git_diff_find_options renames{};
  int code = git_diff_find_options_init(&renames, GIT_DIFF_FIND_OPTIONS_VERSION);
  renames.flags = GIT_DIFF_FIND_RENAMES;
  renames.rename_limit = kRenameSourcesMax;
  if (code == 0) code = git_diff_find_similar(&staged, &renames);
  repository.gate().forgive_large();  // Such files are then not compared.
  return repository.gate().status().ok() ? 0 : code;
}

Result<Entries> read_entries(const Repository& repository) {
  TreeHandle head;
  if (const Result<git_oid> id = find_ref(repository, "HEAD"); id.ok()) {
    SLUICE_TRY(const CommitHandle commit, repository.commit(*id));
    SLUICE_TRY(head, repository.tree_of(*commit));
  }
  IndexHandle index;
  int code = take(index, [&](git_index** to) { return git_repository_index(to, repository.raw()); });
  git_diff_options options{};
  if (code == 0) code = init_options(repository, options);
  DiffHandle staged;
  if (code == 0)
    code = take(staged, [&](git_diff** to) {
      return git_diff_tree_to_index(to, repository.raw(), head.get(), index.get(), &options);
    });
  DiffHandle unstaged;
  if (code == 0)
    code = take(unstaged, [&](git_diff** to) {
      return git_diff_index_to_workdir(to, repository.raw(), index.get(), &options);
    });
  if (code == 0) code = find_renames(repository, *staged);
  if (code < 0) return repository.failure(code, "compare the working tree");
  Entries out;
  add(*staged, &Letters::staged, out);
  add(*unstaged, &Letters::unstaged, out);
  return out;
}

std::string head_line(const std::string& branch, const Result<git_oid>& commit) {
  if (branch.empty()) return commit.ok() ? fmt::format("## HEAD ({})\n", short_id(*commit)) : "## HEAD\n";
  if (!commit.ok()) return fmt::format("## No commits yet on {}\n", branch);
  return fmt::format("## {}\n", branch);
}

std::string lines_of(const Entries& entries) {
  std::string out;
  for (const auto& [path, letters] : entries) {
    out += fmt::format("{}{} ", letters.staged, letters.unstaged);
    if (!letters.old_path.empty()) out += shown_name(letters.old_path) + " -> ";
    out += shown_name(path) + "\n";
  }
  return out;
}

}  // namespace

Result<RenderedPage> render_status(const Repository& repository, const PageRequest& request) {
  SLUICE_TRY(const Entries entries, read_entries(repository));
  SLUICE_TRY(const std::string branch, head_branch(repository));
  const Result<git_oid> commit = find_ref(repository, "HEAD");
  if (!request.is_json()) return RenderedPage{.text = head_line(branch, commit) + lines_of(entries)};
  json::Writer out;
  out.begin_object();
  if (!branch.empty()) out.field("branch", branch);
  if (commit.ok()) out.field("head", to_hex(*commit));
  out.key("entries").begin_array();
  RenderedPage page;
  std::size_t at = 0;
  for (const auto& [path, letters] : entries) {
    if (at >= request.first) {
      if (request.ends_before(at, out.size())) {
        page.next = at;
        break;
      }
      out.begin_object().field("path", shown_name(path)).field("index", std::string(1, letters.staged));
      if (!letters.old_path.empty()) out.field("oldPath", shown_name(letters.old_path));
      out.field("worktree", std::string(1, letters.unstaged)).end_object();
    }
    ++at;
  }
  out.end_array().field("total", entries.size()).end_object();
  page.text = std::move(out).take();
  return page;
}

}  // namespace sluice::git
