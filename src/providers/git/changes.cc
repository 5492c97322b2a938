#include "changes.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "words.h"

namespace sluice::git {

namespace {

constexpr std::size_t kFilesShown = 1'000;
constexpr std::size_t kFilesMax = 100'000;    // More are not compared.
constexpr std::size_t kFileFieldsBytes = 80;  // What JSON says of a file beside its names.
constexpr std::size_t kPatchBytesMax = 32 * 1024 * 1024;
constexpr std::uint64_t kTextBytesMax = 1024 * 1024;  // Of a file whose lines are compared.

// What the callbacks of libgit2 are given.
struct Watch {
  ReadGate* gate = nullptr;
  bool is_too_large = false;
};

int on_delta(const git_diff* so_far, const git_diff_delta*, const char*, void* payload) {
  auto* watch = static_cast<Watch*>(payload);
  watch->is_too_large = git_diff_num_deltas(so_far) >= kFilesMax;
  return watch->is_too_large ? GIT_EUSER : 0;
}

int on_compared_file(const git_diff*, const char*, const char*, void* payload) {
  return static_cast<Watch*>(payload)->gate->has_time() ? 0 : GIT_EUSER;
}

struct Buffer {
  git_buf raw = GIT_BUF_INIT;
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { git_buf_dispose(&raw); }
};

Result<DiffHandle> diff_trees(const Repository& repository, git_tree* from, git_tree* to) {
  Watch watch{.gate = &repository.gate()};
  git_diff_options options{};
  int code = git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags |= GIT_DIFF_DISABLE_PATHSPEC_MATCH;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  options.max_size = static_cast<git_off_t>(kTextBytesMax);
  options.notify_cb = on_delta;
  options.progress_cb = on_compared_file;
  options.payload = &watch;
  DiffHandle diff;
  if (code == 0)
    code = take(diff, [&](git_diff** out) {
      return git_diff_tree_to_tree(out, repository.raw(), from, to, &options);
    });
  if (watch.is_too_large)
    return limit_reached("files that differ", kFilesMax)
        .with_code("diff_too_large")
        .with_hint("Compare commits that are nearer to one another.");
  if (code < 0) return repository.failure(code, "compare trees");
  if (git_diff_num_deltas(diff.get()) > kRenameFilesMax) return diff;
  git_diff_find_options renames{};
  code = git_diff_find_options_init(&renames, GIT_DIFF_FIND_OPTIONS_VERSION);
  renames.flags = GIT_DIFF_FIND_RENAMES;
  renames.rename_limit = kRenameSourcesMax;
  if (code == 0) code = git_diff_find_similar(diff.get(), &renames);
  repository.gate().forgive_large();  // Such files are then not compared.
  if (code < 0 && !repository.gate().status().ok()) return repository.failure(code, "look for renames");
  return diff;
}

ChangedFile describe(const git_diff_delta& delta) {
  ChangedFile out;
  out.status = status_letter(delta.status);
  const bool is_gone = delta.status == GIT_DELTA_DELETED;
  out.path = shown_name(is_gone ? delta.old_file.path : delta.new_file.path);
  if (delta.status == GIT_DELTA_RENAMED || delta.status == GIT_DELTA_COPIED)
    out.old_path = shown_name(delta.old_file.path);
  return out;
}

// libgit2 1.5 loses some bytes with each patch that it cannot read the files of.
Status check_readable(const Repository& repository, const git_diff_file& file) {
  if (file.mode == GIT_FILEMODE_COMMIT || git_oid_is_zero(&file.id) != 0) return {};
  SLUICE_TRY(const std::uint64_t bytes, repository.size_of(file.id));
  if (bytes > kTextBytesMax) return {};  // Its lines are not compared.
  OdbObjectHandle object;
  const int code =
      take(object, [&](git_odb_object** to) { return git_odb_read(to, repository.objects(), &file.id); });
  if (code < 0) return repository.failure(code, "read a file");
  return {};
}

Result<PatchHandle> patch_of(const Repository& repository, git_diff* diff, std::size_t index) {
  const git_diff_delta* delta = git_diff_get_delta(diff, index);
  SLUICE_CHECK(check_readable(repository, delta->old_file));
  SLUICE_CHECK(check_readable(repository, delta->new_file));
  PatchHandle patch;
  const int code = take(patch, [&](git_patch** out) { return git_patch_from_diff(out, diff, index); });
  if (code < 0) return repository.failure(code, "compare files");
  return patch;
}

Status add_counts(const Repository& repository, git_diff* diff, std::size_t first, Changes& changes) {
  for (std::size_t i = 0; i < changes.files.size(); ++i) {
    SLUICE_TRY(const PatchHandle patch, patch_of(repository, diff, first + i));
    if (!patch) continue;
    ChangedFile& file = changes.files[i];
    git_patch_line_stats(nullptr, &file.additions, &file.deletions, patch.get());
    file.is_binary = (git_patch_get_delta(patch.get())->flags & GIT_DIFF_FLAG_BINARY) != 0;
  }
  return {};
}

Status add_patch(const Repository& repository, git_diff* diff, std::uint64_t bytes, Changes& changes) {
  for (std::size_t i = 0; i < changes.total; ++i) {
    if (changes.patch.size() >= bytes) {
      changes.is_patch_cut = true;
      return {};
    }
    if (changes.patch.size() > kPatchBytesMax)
      return limit_reached("bytes of a patch", kPatchBytesMax)
          .with_code("diff_too_large")
          .with_hint("Compare commits that are nearer to one another.");
    SLUICE_TRY(const PatchHandle patch, patch_of(repository, diff, i));
    if (!patch) continue;
    Buffer text;
    const int code = git_patch_to_buf(&text.raw, patch.get());
    if (code < 0) return repository.failure(code, "write a patch");
    changes.patch.append(text.raw.ptr, text.raw.size);
  }
  return {};
}

}  // namespace

char status_letter(git_delta_t status) {
  switch (status) {
    case GIT_DELTA_ADDED:
      return 'A';
    case GIT_DELTA_DELETED:
      return 'D';
    case GIT_DELTA_RENAMED:
      return 'R';
    case GIT_DELTA_COPIED:
      return 'C';
    case GIT_DELTA_TYPECHANGE:
      return 'T';
    case GIT_DELTA_UNTRACKED:
      return '?';
    case GIT_DELTA_CONFLICTED:
      return 'U';
    default:
      return 'M';
  }
}

Result<Changes> compare(const Repository& repository, git_tree* from, git_tree* to,
                        const PageRequest& request) {
  SLUICE_TRY(const DiffHandle diff, diff_trees(repository, from, to));
  Changes out;
  out.total = git_diff_num_deltas(diff.get());
  const std::size_t first = request.is_json() ? std::min(request.first, out.total) : 0;
  std::size_t bytes = 0;
  for (std::size_t i = first; i < std::min(out.total, first + kFilesShown); ++i) {
    if (request.is_json() && request.ends_before(i, bytes)) break;
    out.files.push_back(describe(*git_diff_get_delta(diff.get(), i)));
    bytes += kFileFieldsBytes + out.files.back().path.size() + out.files.back().old_path.size();
  }
  if (request.is_json()) {
    SLUICE_CHECK(add_counts(repository, diff.get(), first, out));
  } else {
    SLUICE_CHECK(add_patch(repository, diff.get(), request.text_bytes, out));
  }
  return out;
}

std::string changes_text(const Changes& changes) {
  std::string out;
  for (const ChangedFile& file : changes.files) {
    out += fmt::format("{}\t", file.status);
    if (!file.old_path.empty()) out += file.old_path + "\t";
    out += file.path + "\n";
  }
  if (changes.total > changes.files.size())
    out += fmt::format("[{} more files]\n", changes.total - changes.files.size());
  if (!changes.patch.empty()) out += "\n" + to_utf8(changes.patch);
  return out;
}

void write_changes(const Changes& changes, json::Writer& out) {
  out.key("files").begin_array();
  for (const ChangedFile& file : changes.files) {
    out.begin_object().field("status", std::string(1, file.status)).field("path", file.path);
    if (!file.old_path.empty()) out.field("oldPath", file.old_path);
    if (file.is_binary) {
      out.field("binary", true);
    } else {
      out.field("additions", file.additions).field("deletions", file.deletions);
    }
    out.end_object();
  }
  out.end_array().field("total", changes.total);
}

}  // namespace sluice::git
