#include "place.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/contents/resource_path.h"
#include "sluice/fs/plain_tree.h"
#include "sluice/fs/root.h"

namespace sluice::git {

namespace {

constexpr std::uint64_t kRefBytesMax = 4 * 1024;
constexpr std::uint64_t kIndexBytesMax = std::uint64_t{512} * 1024 * 1024;  // Five million entries.
constexpr std::uint64_t kIgnoreBytesMax = std::uint64_t{1024} * 1024;
constexpr fs::RootOptions kNoLinks{.symlinks = fs::Symlinks::kRefuse};

bool has_folder(const fs::Root& root, std::string_view name) {
  const Result<fs::Entry> entry = root.stat(name);
  return entry.ok() && entry->kind == fs::EntryKind::kFolder;
}

bool has_file(const fs::Root& root, std::string_view name) { return root.open_beneath(name).ok(); }

// Absent, whatever it could be: also a link that leads nowhere is something.
bool is_absent(const fs::Root& root, std::string_view name) {
  const Result<fs::Entry> entry = root.stat(name);
  return !entry.ok() && entry.error().kind == ErrorKind::kNotFound;
}

bool is_repository(const fs::Root& root) {
  return has_file(root, "HEAD") && has_folder(root, "objects") && has_folder(root, "refs");
}

Error elsewhere(std::string_view what) {
  return unsupported(fmt::format("open repository: {} leads to another folder", what))
      .with_code("unsupported_repository")
      .with_hint("Configure the folder of the repository itself, which has a .git folder, or is bare.");
}

// Where loose and packed objects, and what belongs to them, are. Everything else is not opened.
bool is_unread(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  return first != "HEAD" && first != "objects" && first != "info" && first != "index" &&
         first != "packed-refs";
}

Error refused(const Error& cause) {
  if (cause.kind != ErrorKind::kForbidden && cause.kind != ErrorKind::kLimitReached) return cause;
  return unsupported(fmt::format("open repository: {}", cause.message)).with_code("unsupported_repository");
}

}  // namespace

Result<Place> find_repository(const std::string& folder) {
  const Result<fs::Root> root = fs::Root::open(folder, kNoLinks);
  if (!root.ok()) return not_found(root.error().message).with_code("repository_not_found");
  Place place{.folder = folder, .git_folder = (std::filesystem::path(folder) / ".git").string()};
  if (!has_folder(*root, ".git")) {
    if (!is_absent(*root, ".git")) return elsewhere(".git is a file or a link that");
    place.git_folder = folder;
    place.is_bare = true;
  }
  const Result<fs::Root> git = fs::Root::open(place.git_folder, kNoLinks);
  if (!git.ok() || !is_repository(*git))
    return not_found("open repository: neither a .git folder nor a bare repository")
        .with_code("repository_not_found");
  if (!is_absent(*git, "commondir")) return elsewhere("commondir");
  return place;
}

Status check_repository(const Place& place) {
  SLUICE_TRY(const fs::Root git, fs::Root::open(place.git_folder, kNoLinks));
  const Status refs = fs::check_plain_tree(git, "refs", {.file_bytes_max = kRefBytesMax});
  if (!refs.ok()) return refused(refs.error());
  fs::PlainTreeOptions objects;
  objects.skips = is_unread;
  Status plain = fs::check_plain_tree(git, "", objects);
  if (!plain.ok()) return refused(plain.error());
  for (const char* name : {"index", "packed-refs", "HEAD"}) {
    const Result<fs::Entry> entry = git.stat(name);
    if (entry.ok() && entry->bytes > kIndexBytesMax) return refused(limit_reached(name, kIndexBytesMax));
  }
  return {};
}

bool has_alternates(const Place& place) {
  const Result<fs::Root> git = fs::Root::open(place.git_folder, kNoLinks);
  return git.ok() && !is_absent(*git, "objects/info/alternates");
}

Status check_worktree(const Place& place, std::stop_token stop) {
  SLUICE_TRY(const fs::Root root, fs::Root::open(place.folder, kNoLinks));
  fs::PlainTreeOptions options;
  options.skips = [](std::string_view path) { return contents::last_name(path) == ".git"; };
  options.concerns = [](std::string_view path) {
    const std::string_view name = contents::last_name(path);
    return equal_ignoring_case(name, ".gitignore") || equal_ignoring_case(name, ".gitattributes");
  };
  options.file_bytes_max = kIgnoreBytesMax;
  options.stop = std::move(stop);
  return fs::check_plain_tree(root, "", options);
}

}  // namespace sluice::git
