#include "tree_contents.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/uri.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/listing.h"
#include "sluice/contents/media_type.h"

#include "git_uri.h"
#include "words.h"

namespace sluice::git {

namespace {

constexpr std::size_t kEntriesShown = 1'000;
constexpr std::size_t kListingBytes = 500 * 1024;  // Of their URIs.
constexpr std::size_t kNamesMax = 100'000;
constexpr std::size_t kTreeDepthMax = 256;
constexpr std::size_t kPointerBytesMax = 1'024;  // As LFS has it.
constexpr std::string_view kPointerMark = "version https://git-lfs.github.com/spec/v1\n";
constexpr std::string_view kLinkType = "inode/symlink";
constexpr std::string_view kSubmoduleType = "application/x-git-commit";

// What stands in a tree, without its name.
struct Entry {
  git_oid id{};
  git_filemode_t mode = GIT_FILEMODE_UNREADABLE;

  bool is_folder() const { return mode == GIT_FILEMODE_TREE; }
  bool is_link() const { return mode == GIT_FILEMODE_LINK; }
  bool is_submodule() const { return mode == GIT_FILEMODE_COMMIT; }
};

Result<TreeHandle> tree_at(const Repository& repository, const git_oid& id) {
  TreeHandle tree;
  const int code = take(tree, [&](git_tree** to) { return git_tree_lookup(to, repository.raw(), &id); });
  if (code < 0) return repository.failure(code, "read a tree");
  return tree;
}

Entry entry_of(const git_tree_entry& entry) {
  return {.id = *git_tree_entry_id(&entry), .mode = git_tree_entry_filemode(&entry)};
}

// Name by name, so that nothing is looked for but what stands in a tree.
Result<Entry> find_entry(const Repository& repository, const git_oid& commit_id,
                         const std::vector<std::string>& names) {
  if (names.size() > kTreeDepthMax) return not_found("look for a path");
  SLUICE_TRY(const CommitHandle commit, repository.commit(commit_id));
  Entry at{.id = *git_commit_tree_id(commit.get()), .mode = GIT_FILEMODE_TREE};
  for (const std::string& name : names) {
    if (!at.is_folder() || name.find('/') != std::string::npos) return not_found("look for a path");
    SLUICE_TRY(const TreeHandle tree, tree_at(repository, at.id));
    const git_tree_entry* found = git_tree_entry_byname(tree.get(), name.c_str());
    if (found == nullptr) return not_found("look for a path");
    at = entry_of(*found);
  }
  return at;
}

// The bytes of a blob, which are in memory as a whole.
Result<OdbObjectHandle> read_blob(const Repository& repository, const git_oid& id) {
  OdbObjectHandle object;
  const int code =
      take(object, [&](git_odb_object** to) { return git_odb_read(to, repository.objects(), &id); });
  if (code < 0) return repository.failure(code, "read a blob");
  if (git_odb_object_type(object.get()) != GIT_OBJECT_BLOB) return not_found("read a blob");
  return object;
}

std::string_view bytes_of(const git_odb_object& object) {
  // libgit2 takes no const here and changes nothing.
  auto* raw = const_cast<git_odb_object*>(&object);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return {static_cast<const char*>(git_odb_object_data(raw)), git_odb_object_size(raw)};
}

bool is_pointer(std::string_view bytes) {
  return bytes.size() <= kPointerBytesMax && bytes.starts_with(kPointerMark);
}

Error blob_too_large(std::uint64_t bytes) {
  return invalid_input(
             fmt::format("Failed to read resource: {} bytes, and at most {} of a file in a repository", bytes,
                         kObjectBytesMax))
      .with_code("blob_too_large");
}

Result<protocol::ResourceContents> read_file(const Repository& repository, const Entry& entry,
                                             const TreeRequest& request) {
  const Result<std::uint64_t> size = repository.size_of(entry.id);
  if (!size.ok()) return contents::read_failure(size.error(), request.uri);
  if (*size > kObjectBytesMax) return blob_too_large(*size);
  const Result<OdbObjectHandle> object = read_blob(repository, entry.id);
  if (!object.ok()) return contents::read_failure(object.error(), request.uri);
  const std::string_view bytes = bytes_of(**object);
  const bool is_lfs = !entry.is_link() && is_pointer(bytes);
  SLUICE_TRY(protocol::ResourceContents out,
             contents::read_contents(contents::MemorySource(bytes),
                                     {.name = request.names.back(),
                                      .uri = request.uri,
                                      .range = request.range,
                                      .type = entry.is_link() || is_lfs ? "text/plain" : "",
                                      .room = request.room}));
  if (is_lfs) out.meta.set("sluice/lfsPointer", true);
  if (entry.is_link()) out.meta.set("sluice/symlink", true);
  return out;
}

protocol::ResourceContents submodule(const Entry& entry, const TreeRequest& request) {
  protocol::ResourceContents out = contents::text_contents(
      request.uri, "text/plain", fmt::format("Subproject commit {}\n", to_hex(entry.id)));
  out.meta.set("sluice/submodule", to_hex(entry.id));
  return out;
}

protocol::Resource listed(const Repository& repository, const git_tree_entry& found,
                          const TreeRequest& request, std::string path) {
  const Entry entry = entry_of(found);
  const std::string_view name = git_tree_entry_name(&found);
  if (!path.empty()) path += '/';
  path += name;
  protocol::Resource out;
  out.uri = uri_at(request.prefix, request.ref, path) + (entry.is_folder() ? "/" : "");
  out.name = shown_name(name);
  if (entry.is_folder()) {
    out.mime_type = std::string(contents::kFolderType);
  } else if (entry.is_submodule()) {
    out.mime_type = std::string(kSubmoduleType);
    out.meta.set("commit", to_hex(entry.id));
  } else {
    if (entry.is_link()) {
      out.mime_type = std::string(kLinkType);
    } else if (const std::optional<std::string_view> type = contents::type_of_name(name)) {
      out.mime_type = std::string(*type);
    }
    if (const Result<std::uint64_t> size = repository.size_of(entry.id); size.ok()) out.size = *size;
  }
  return out;
}

// The number of the entry behind the one of that name. Nothing where there is none of that name.
std::optional<std::size_t> first_entry(const git_tree& tree, const std::string& after) {
  if (after.empty()) return 0;
  for (std::size_t i = 0; i < git_tree_entrycount(&tree); ++i) {
    if (after == git_tree_entry_name(git_tree_entry_byindex(&tree, i))) return i + 1;
  }
  return std::nullopt;
}

Result<protocol::ResourceContents> list_folder(const Repository& repository, const Entry& folder,
                                               const TreeRequest& request) {
  const Result<TreeHandle> tree = tree_at(repository, folder.id);
  if (!tree.ok()) return contents::read_failure(tree.error(), request.uri);
  std::string path;
  for (const std::string& name : request.names) path += (path.empty() ? "" : "/") + name;
  const std::size_t total = git_tree_entrycount(tree->get());
  const std::optional<std::size_t> first = first_entry(*tree->get(), request.after);
  if (!first) return protocol::resource_not_found(request.uri);
  std::vector<protocol::Resource> entries;
  std::size_t bytes = 0;
  std::size_t at = *first;
  for (; at < total && entries.size() < kEntriesShown && bytes <= kListingBytes; ++at) {
    if (!repository.gate().has_time()) return repository.gate().status().error();
    entries.push_back(listed(repository, *git_tree_entry_byindex(tree->get(), at), request, path));
    bytes += entries.back().uri.size();
  }
  if (!entries.empty()) entries.resize(contents::entries_that_fit(entries, request.room));
  const std::size_t end = *first + entries.size();
  std::string next;
  if (end < total) {
    const char* last = git_tree_entry_name(git_tree_entry_byindex(tree->get(), end - 1));
    std::string base = request.uri.substr(0, request.uri.find('?'));
    if (!base.ends_with('/')) base += '/';
    next = base + "?after=" + percent_encode(last);
  }
  return contents::listing_contents(request.uri, entries, total, next);
}

}  // namespace

Result<protocol::ResourceContents> read_tree(const Repository& repository, const TreeRequest& request) {
  const Result<Entry> entry = find_entry(repository, request.commit, request.names);
  if (!entry.ok()) return contents::read_failure(entry.error(), request.uri);
  const bool is_ranged = request.range.is_given();
  if (entry->is_folder() && is_ranged) return protocol::resource_not_found(request.uri);
  if (!entry->is_folder() && !request.after.empty()) return protocol::resource_not_found(request.uri);
  if (entry->is_folder()) return list_folder(repository, *entry, request);
  if (request.is_folder || (entry->is_submodule() && is_ranged))
    return protocol::resource_not_found(request.uri);
  if (entry->is_submodule()) return submodule(*entry, request);
  return read_file(repository, *entry, request);
}

Result<std::vector<std::string>> names_in(const Repository& repository, const git_oid& commit,
                                          const std::vector<std::string>& folder) {
  SLUICE_TRY(const Entry entry, find_entry(repository, commit, folder));
  if (!entry.is_folder()) return not_found("look for a folder");
  SLUICE_TRY(const TreeHandle tree, tree_at(repository, entry.id));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(git_tree_entrycount(tree.get()), kNamesMax); ++i) {
    const git_tree_entry* found = git_tree_entry_byindex(tree.get(), i);
    out.push_back(std::string(git_tree_entry_name(found)) + (entry_of(*found).is_folder() ? "/" : ""));
  }
  return out;
}

}  // namespace sluice::git
