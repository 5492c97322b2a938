#include "sluice/docs/docs_provider.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/uri_path.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/file_contents.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/uri_query.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/resource.h"

#include "pages.h"

namespace sluice::docs {

namespace {

constexpr std::string_view kScheme = "docs";
constexpr std::string_view kBase = "docs://";
constexpr std::size_t kTitleBytes = 4'096;  // Of a page's beginning, in which its title is looked for.
constexpr std::array<std::string_view, 2> kParameters = {"offset", "length"};

using Folders = std::vector<std::unique_ptr<contents::ServedFolder>>;

struct PageUri {
  std::string page;  // Decoded.
  contents::Range range;
};

std::optional<PageUri> parse_uri(const ResourceUri& uri) {
  std::string_view text = uri.text();
  if (!text.starts_with(kBase)) return std::nullopt;
  text.remove_prefix(kBase.size());
  const std::size_t question = text.find('?');
  PageUri out;
  if (question != std::string_view::npos) {
    const auto query = contents::UriQuery::parse(text.substr(question + 1), kParameters);
    const std::optional<contents::Range> range = query ? query->range() : std::nullopt;
    if (!range) return std::nullopt;
    out.range = *range;
  }
  std::optional<std::string> page = contents::decode_path(text.substr(0, question));
  if (!page || page->empty()) return std::nullopt;
  out.page = *std::move(page);
  return out;
}

class DocsProvider final : public catalog::Provider,
                           public catalog::ResourceProvider,
                           public catalog::CompletionProvider {
 public:
  explicit DocsProvider(Folders folders)
      : Provider({.name = std::string(kScheme)}), folders_(std::move(folders)) {}

  catalog::ResourceProvider* resources() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    sink_ = &sink;
    for (const auto& folder : folders_) {
      folder->watch([this, prefix = folder->prefix()](const std::vector<fs::Change>& changes) {
        tell(prefix, changes);
      });
    }
    follower_ = std::jthread([this](const std::stop_token& stop) { follow(stop); });
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    struct Listed {
      std::string uri;
      const contents::ServedFolder* folder;
      DocPage page;
    };
    std::vector<Listed> found;
    for (const auto& folder : folders_) {
      SLUICE_TRY(std::vector<DocPage> pages, pages_of(*folder->root()));
      for (DocPage& page : pages) {
        std::string uri = uri_of(*folder, page.name);
        if (uri > query.after) found.push_back({std::move(uri), folder.get(), std::move(page)});
      }
    }
    const std::size_t wanted = std::min(query.limit, found.size());
    std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(wanted), found.end(),
                      [](const Listed& a, const Listed& b) { return a.uri < b.uri; });
    std::vector<protocol::Resource> out;
    for (std::size_t i = 0; i < wanted; ++i) out.push_back(resource_of(*found[i].folder, found[i].page));
    return out;
  }

  std::vector<protocol::ResourceTemplate> list_templates(const catalog::ListQuery& query) override {
    protocol::ResourceTemplate made;
    made.uri_template = "docs://{+page}";
    if (made.uri_template <= query.after || query.limit == 0) return {};
    made.name = "Page";
    made.description = "A Markdown page by its name. ?offset=&length= reads a part, in bytes.";
    made.mime_type = "text/markdown";
    return {std::move(made)};
  }

  Result<protocol::ReadResult> read(const ResourceUri& uri, catalog::Context& context) override {
    const std::optional<PageUri> asked = parse_uri(uri);
    const contents::ServedFolder* folder = nullptr;
    std::string name = asked ? asked->page : "";
    if (asked) folder = folder_of(name);
    const std::shared_ptr<const fs::Root> root = folder == nullptr ? nullptr : folder->root();
    const std::optional<std::string> path = root ? find_page(*root, name) : std::nullopt;
    if (!path) return protocol::resource_not_found(uri.text());
    SLUICE_TRY(protocol::ResourceContents contents,
               contents::read_file(*root, {.path = *path,
                                           .uri = contents::plain_uri(uri),
                                           .range = asked->range,
                                           .room = contents::read_room(context)}));
    protocol::ReadResult result;
    result.cache = {.ttl = folder->ttl(), .shared = false};
    result.contents.push_back(std::move(contents));
    return result;
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& /*context*/) override {
    if (request.argument != "page") return protocol::Completion{};
    std::vector<std::string> values;
    for (const auto& folder : folders_) {
      SLUICE_TRY(const std::vector<DocPage> pages, pages_of(*folder->root()));
      for (const DocPage& page : pages)
        values.push_back(contents::template_value(contents::beneath(folder->prefix(), page.name)));
    }
    std::sort(values.begin(), values.end());
    return contents::complete_among(std::move(values), request.typed);
  }

  bool owns(const ResourceUri& uri) const override { return uri.scheme() == kScheme; }
  catalog::RunsOn read_runs_on(const ResourceUri& uri) const override {
    return uri.text().ends_with('/') ? catalog::RunsOn::kWorker : catalog::RunsOn::kPipeThread;
  }
  void watch(const ResourceUri& uri) override {
    const std::optional<PageUri> page = parse_uri(uri);
    if (!page) return;
    const std::lock_guard lock(mutex_);
    watched_[page->page].insert(std::string(uri.text()));
  }
  void unwatch(const ResourceUri& uri) override {
    const std::optional<PageUri> page = parse_uri(uri);
    if (!page) return;
    const std::lock_guard lock(mutex_);
    const auto found = watched_.find(page->page);
    if (found == watched_.end()) return;
    found->second.erase(std::string(uri.text()));
    if (found->second.empty()) watched_.erase(found);
  }

 private:
  static std::string uri_of(const contents::ServedFolder& folder, std::string_view page) {
    return std::string(kBase) + percent_encode_path(contents::beneath(folder.prefix(), page));
  }

  static protocol::Resource resource_of(const contents::ServedFolder& folder, const DocPage& page) {
    protocol::Resource out;
    out.uri = uri_of(folder, page.name);
    out.name = page.name;
    out.mime_type = "text/markdown";
    const Result<fs::File> file = folder.root()->open_beneath(page.path);
    if (!file.ok()) return out;
    if (const Result<fs::FileStatus> status = file->status(); status.ok()) out.size = status->bytes;
    if (const Result<std::string> beginning = file->read_at(0, kTitleBytes); beginning.ok()) {
      if (std::string title = title_of(*beginning); !title.empty()) out.title = std::move(title);
    }
    return out;
  }

  // The folder that a page is in; `page` loses the folder's name.
  const contents::ServedFolder* folder_of(std::string& page) const {
    for (const auto& folder : folders_) {
      if (folder->prefix().empty()) return folder.get();
      if (!page.starts_with(folder->prefix() + "/")) continue;
      page.erase(0, folder->prefix().size() + 1);
      return folder.get();
    }
    return nullptr;
  }

  // On the thread of a watcher.
  void tell(const std::string& prefix, const std::vector<fs::Change>& changes) {
    bool is_list_changed = false;
    std::set<std::string> touched;
    for (const fs::Change& change : changes) {
      const std::optional<std::string_view> name = page_name(change.path);
      // A folder that comes or goes has pages in it.
      is_list_changed |= change.kind != fs::ChangeKind::kModified;
      const std::lock_guard lock(mutex_);
      for (const auto& [page, uris] : watched_) {
        const bool is_meant = change.kind == fs::ChangeKind::kRescan ||
                              (name && (page == contents::beneath(prefix, *name) ||
                                        page == contents::beneath(prefix, change.path)));
        if (is_meant) touched.insert(uris.begin(), uris.end());
      }
    }
    if (is_list_changed) sink_->resources_changed();
    for (const std::string& uri : touched) sink_->resource_updated(uri);
  }

  void follow(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    while (!stopped.wait_for(lock, stop, kWatchPollInterval, [&] { return stop.stop_requested(); })) {
      for (const auto& folder : folders_) {
        if (stop.stop_requested()) return;
        if (folder->follow()) tell(folder->prefix(), {{.path = {}, .kind = fs::ChangeKind::kRescan}});
      }
    }
  }

  catalog::ChangeSink* sink_ = nullptr;  // Set once, before anything is watched.
  std::mutex mutex_;
  std::map<std::string, std::set<std::string>> watched_;  // URIs by page.
  const Folders folders_;                                 // Their watchers use what is above.
  std::jthread follower_;                                 // Last: it ends before the rest goes.
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_docs_provider(
    const std::vector<contents::FolderSpec>& folders) {
  Folders opened;
  for (const contents::FolderSpec& spec : folders) {
    SLUICE_TRY(std::unique_ptr<contents::ServedFolder> folder,
               contents::ServedFolder::open(spec, folders.size() > 1 ? spec.name : std::string()));
    opened.push_back(std::move(folder));
  }
  return std::shared_ptr<catalog::Provider>(std::make_shared<DocsProvider>(std::move(opened)));
}

Result<std::size_t> count_pages(const contents::FolderSpec& folder) {
  SLUICE_TRY(const std::unique_ptr<contents::ServedFolder> opened,
             contents::ServedFolder::open(folder, std::string()));
  SLUICE_TRY(const std::vector<DocPage> pages, pages_of(*opened->root()));
  return pages.size();
}

}  // namespace sluice::docs
