#include "sluice/files/files_provider.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "sluice/contents/completion.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/file_contents.h"
#include "sluice/contents/listing.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/served_folders.h"
#include "sluice/contents/served_name.h"
#include "sluice/contents/watched_uris.h"

#include "completion.h"
#include "entries.h"
#include "file_uri.h"
#include "folder_contents.h"
#include "listing.h"

namespace sluice::files {

namespace {

constexpr std::string_view kTemplate = "file:///{+path}";
constexpr std::string_view kAllFolders = "files";  // What lists call the folders together.

// What a URI leads to.
struct Place {
  const contents::ServedFolder* folder = nullptr;  // Null: all of them together.
  std::string path;                                // Beneath it.
};

class FilesProvider final : public catalog::Provider,
                            public catalog::ResourceProvider,
                            public catalog::CompletionProvider {
 public:
  explicit FilesProvider(std::unique_ptr<contents::ServedFolders> folders)
      : Provider({.name = "files"}), folders_(std::move(folders)) {}

  catalog::ResourceProvider* resources() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    sink_ = &sink;
    folders_->watch(
        [this](const std::string& prefix, const std::vector<fs::Change>& changes) { tell(prefix, changes); });
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    Page page{.after = query.after, .limit = query.limit, .resources = {}};
    const bool is_one = folders_->is_single();
    if (page.wants(kBaseUri) && !page.is_full())
      page.resources.push_back(folder_resource(
          std::string(kBaseUri), is_one ? std::string_view((*folders_->begin())->name()) : kAllFolders));
    for (const auto& folder : *folders_) {
      const std::string uri = uri_of_folder(folder->prefix());
      if (page.is_full()) break;
      if (!page.wants_beneath(uri)) continue;
      if (!is_one && page.wants(uri)) page.resources.push_back(folder_resource(uri, folder->name()));
      add_beneath(*folder->root(), "", uri, page);
    }
    return std::move(page.resources);
  }

  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    if (kTemplate <= query.after || query.limit == 0) return {};
    protocol::ResourceTemplate made;
    made.uri_template = std::string(kTemplate);
    made.name = "File";
    made.description =
        "A file or a folder by its path. ?offset=&length= reads a part of a file, in bytes; a folder gives "
        "its listing and its small text files, with ?list its listing alone.";
    return {std::move(made)};
  }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    const std::optional<FileUri> parsed = parse_uri(uri);
    const std::optional<Place> place = parsed ? find(parsed->path) : std::nullopt;
    if (!place) return protocol::resource_not_found(uri.text());
    protocol::ReadResult result;
    result.cache = {.ttl = place->folder != nullptr ? place->folder->ttl() : contents::kLocalTtl,
                    .shared = false};
    SLUICE_TRY(result.contents,
               contents_of(*place, *parsed,
                           {.uri = contents::plain_uri(uri), .room = contents::read_room(context)}));
    return result;
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context&) override {
    if (request.argument != "path") return protocol::Completion{};
    const std::string_view typed = request.typed;
    const std::string_view before = typed.substr(0, typed.rfind('/') + 1);
    const std::optional<std::string> parent =
        before.empty() ? std::string() : contents::decode_path(contents::parent_folder(before));
    const std::optional<Place> place = parent ? find(*parent) : std::nullopt;
    if (!place) return protocol::Completion{.values = {}, .total = 0};
    if (place->folder != nullptr)
      return contents::complete_among(values_in(*place->folder->root(), place->path, before), typed);
    std::vector<std::string> names;
    for (const auto& folder : *folders_) names.push_back(contents::template_value(folder->name()) + "/");
    return contents::complete_among(std::move(names), typed);
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == "file"; }
  catalog::RunsOn read_runs_on(const ResourceUri& uri) const override {
    return uri.text().ends_with('/') ? catalog::RunsOn::kWorker : catalog::RunsOn::kPipeThread;
  }
  void watch(const ResourceUri& uri) override {
    if (const std::optional<FileUri> parsed = parse_uri(uri)) watched_.add(parsed->path, uri);
  }
  void unwatch(const ResourceUri& uri) override {
    if (const std::optional<FileUri> parsed = parse_uri(uri)) watched_.remove(parsed->path, uri);
  }

 private:
  std::optional<Place> find(const std::string& path) const {
    if (path.empty() && !folders_->is_single()) return Place{};
    const auto found = path.ends_with('/') ? std::nullopt : folders_->find(path);
    if (!found || (!found->path.empty() && !contents::is_served_path(found->path))) return std::nullopt;
    return Place{.folder = found->folder, .path = found->path};
  }

  static Result<std::vector<protocol::ResourceContents>> in_list(
      Result<protocol::ResourceContents> contents) {
    if (!contents.ok()) return contents.error();
    return std::vector{*std::move(contents)};
  }

  // What a read is told beside the place.
  struct Reading {
    std::string uri;  // As the caller wrote it.
    std::size_t room = SIZE_MAX;
  };

  Result<std::vector<protocol::ResourceContents>> contents_of(const Place& place, const FileUri& asked,
                                                              const Reading& reading) const {
    const std::string& uri = reading.uri;
    if (place.folder == nullptr) {
      if (asked.range.is_given() || !asked.after.empty()) return protocol::resource_not_found(uri);
      std::vector<protocol::Resource> all;
      for (const auto& folder : *folders_)
        all.push_back(folder_resource(uri_of_folder(folder->prefix()), folder->name()));
      return std::vector{contents::listing_contents(uri, all, all.size())};
    }
    const std::shared_ptr<const fs::Root> root = place.folder->root();
    const contents::FileRequest request{.path = place.path,
                                        .uri = uri,
                                        .range = asked.range,
                                        .room = reading.room,
                                        .binary_bytes_max = place.folder->binary_bytes_max()};
    const bool is_listing = asked.is_list || !asked.after.empty();
    // Most are files. What a path names that does not open as one is looked at afterwards.
    if (!asked.is_folder && !is_listing) {
      if (Result<fs::File> file = root->open_beneath(place.path); file.ok())
        return in_list(contents::read_file(std::move(file), request));
    }
    const Result<fs::Entry> entry = root->stat(place.path);
    if (!entry.ok()) return contents::read_failure(entry.error(), uri);
    if (entry->kind == fs::EntryKind::kFolder) {
      if (asked.range.is_given()) return protocol::resource_not_found(uri);
      return read_folder(*root, {.path = place.path,
                                 .folder_uri = uri_of_folder(asked.path),
                                 .uri = uri,
                                 .is_list = asked.is_list,
                                 .after = asked.after,
                                 .room = reading.room});
    }
    if (asked.is_folder || is_listing) return protocol::resource_not_found(uri);
    return in_list(contents::read_file(*root, request));
  }

  // On the thread of a watcher.
  void tell(const std::string& prefix, const std::vector<fs::Change>& changes) {
    bool is_list_changed = false;
    std::set<std::string> touched;
    for (const fs::Change& change : changes) {
      is_list_changed |= change.kind != fs::ChangeKind::kModified;
      if (change.kind == fs::ChangeKind::kRescan) {
        for (const std::string& uri : watched_.beneath(prefix)) touched.insert(uri);
        continue;
      }
      // A folder's listing says how large its files are, and when they were changed.
      for (const std::string_view path :
           {std::string_view(change.path), contents::parent_folder(change.path)}) {
        for (const std::string& uri : watched_.at(contents::beneath(prefix, path))) touched.insert(uri);
      }
    }
    if (is_list_changed) sink_->resources_changed();
    for (const std::string& uri : touched) sink_->resource_updated(uri);
  }

  catalog::ChangeSink* sink_ = nullptr;  // Set once, before anything is watched.
  contents::WatchedUris watched_;
  const std::unique_ptr<contents::ServedFolders> folders_;  // Last: its threads use what is above.
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_files_provider(const std::vector<FolderSpec>& folders) {
  SLUICE_TRY(std::unique_ptr<contents::ServedFolders> opened, contents::ServedFolders::open(folders));
  return std::make_shared<FilesProvider>(std::move(opened));
}

}  // namespace sluice::files
