#include "repository.h"

#include <array>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <git2/sys/repository.h>

namespace sluice::git {

namespace {

constexpr std::int64_t kCacheBytesMax = std::int64_t{16} * 1024 * 1024;
constexpr std::size_t kMappedBytesMax = std::size_t{256} * 1024 * 1024;

// Once for the program. What the machine or the user has configured for git is not looked for.
int start_library() {
  const int code = git_libgit2_init();
  if (code < 0) return code;
  for (const int level : {GIT_CONFIG_LEVEL_PROGRAMDATA, GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG,
                          GIT_CONFIG_LEVEL_GLOBAL}) {
    const int set = git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    if (set < 0) return set;
  }
  git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, static_cast<ssize_t>(kCacheBytesMax));
  git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, kMappedBytesMax);
  return 0;
}

// Attributes of files would otherwise be looked for in the index, whatever is compared.
int set_empty_index(git_repository* repository) {
  IndexHandle index;
  const int code = take(index, [](git_index** to) { return git_index_new(to); });
  return code < 0 ? code : git_repository_set_index(repository, index.get());
}

Error plain_failure(int code, std::string_view attempt) {
  switch (code) {
    case GIT_ENOTFOUND:
    case GIT_EAMBIGUOUS:
    case GIT_EINVALIDSPEC:
    case GIT_EINVALID:
    case GIT_EPEEL:
    case GIT_EUNBORNBRANCH:
      return not_found(attempt);
    default:
      return internal_error(fmt::format("{}: libgit2 code {}", attempt, code));
  }
}

}  // namespace

std::string to_hex(const git_oid& id) {
  std::array<char, GIT_OID_HEXSZ> digits{};
  git_oid_fmt(digits.data(), &id);
  return {digits.data(), digits.size()};
}

Result<Repository> Repository::open(const Place& place, Options options) {
  static const int started = start_library();
  if (started < 0) return plain_failure(started, "start libgit2");
  SLUICE_TRY(const Place now, find_repository(place.folder));  // It may have been replaced.
  Repository out;
  out.gate_ = std::make_unique<ReadGate>(std::move(options.stop), options.deadline);
  int code = take(out.repository_,
                  [&](git_repository** to) { return git_repository_open_bare(to, now.git_folder.c_str()); });
  if (code < 0) return out.failure(code, "open repository");
  ConfigHandle nothing;
  code = take(nothing, [](git_config** to) { return git_config_new(to); });
  if (code == 0) code = git_repository_set_config(out.raw(), nothing.get());
  const std::string objects = (std::filesystem::path(now.git_folder) / "objects").string();
  if (code == 0) code = open_objects(objects, *out.gate_, out.objects_);
  if (code == 0) code = git_repository_set_odb(out.raw(), out.objects());
  if (code == 0)
    code = options.worktree == Worktree::kWithFiles && !now.is_bare
               ? git_repository_set_workdir(out.raw(), now.folder.c_str(), 0)
               : set_empty_index(out.raw());
  if (code < 0) return out.failure(code, "open repository");
  return out;
}

Error Repository::failure(int code, std::string_view attempt) const {
  if (const Status gate = gate_->status(); !gate.ok()) return gate.error();
  return plain_failure(code, attempt);
}

Result<std::uint64_t> Repository::size_of(const git_oid& id) const {
  std::size_t bytes = 0;
  git_object_t type = GIT_OBJECT_INVALID;
  const int code = git_odb_read_header(&bytes, &type, objects(), &id);
  if (code < 0) return failure(code, "look at an object");
  return bytes;
}

Result<CommitHandle> Repository::commit(const git_oid& id) const {
  CommitHandle out;
  const int code = take(out, [&](git_commit** to) { return git_commit_lookup(to, raw(), &id); });
  if (code < 0) return failure(code, "read a commit");
  return out;
}

Result<TreeHandle> Repository::tree_of(const git_commit& commit) const {
  TreeHandle out;
  const int code = take(out, [&](git_tree** to) { return git_commit_tree(to, &commit); });
  if (code < 0) return failure(code, "read a tree");
  return out;
}

}  // namespace sluice::git
