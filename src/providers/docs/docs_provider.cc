#include "sluice/docs/docs_provider.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "sluice/base/uri_path.h"
#include "sluice/contents/completion.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/file_contents.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/served_folders.h"
#include "sluice/contents/uri_query.h"
#include "sluice/contents/watched_uris.h"
#include "sluice/protocol/model/completion.h"
#include "sluice/protocol/model/resource.h"

#include "pages.h"

namespace sluice::docs {

namespace {

constexpr std::string_view kScheme = "docs";
constexpr std::string_view kBase = "docs://";
constexpr std::size_t kTitleBytes = 4'096;  // Of a page's beginning, in which its title is looked for.
constexpr std::array<std::string_view, 2> kParameters = {"offset", "length"};

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
  explicit DocsProvider(std::unique_ptr<contents::ServedFolders> folders)
      : Provider({.name = std::string(kScheme)}), folders_(std::move(folders)) {}

  catalog::ResourceProvider* resources() override { return this; }
  catalog::CompletionProvider* completions() override { return this; }

  void attach(catalog::ChangeSink& sink) override {
    sink_ = &sink;
    folders_->watch(
        [this](const std::string& prefix, const std::vector<fs::Change>& changes) { tell(prefix, changes); });
  }

  Result<std::vector<protocol::Resource>> list_resources(const catalog::ListQuery& query) override {
    struct Listed {
      std::string uri;
      const contents::ServedFolder* folder;
      DocPage page;
    };
    std::vector<Listed> found;
    for (const auto& folder : *folders_) {
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
    const auto place = asked ? folders_->find(asked->page) : std::nullopt;
    const std::shared_ptr<const fs::Root> root = place ? place->folder->root() : nullptr;
    const std::optional<std::string> path = root ? find_page(*root, place->path) : std::nullopt;
    if (!path) return protocol::resource_not_found(uri.text());
    SLUICE_TRY(protocol::ResourceContents contents,
               contents::read_file(*root, {.path = *path,
                                           .uri = contents::plain_uri(uri),
                                           .range = asked->range,
                                           .room = contents::read_room(context)}));
    protocol::ReadResult result;
    result.cache = {.ttl = place->folder->ttl(), .shared = false};
    result.contents.push_back(std::move(contents));
    return result;
  }

  Result<protocol::Completion> complete(const protocol::CompletionRequest& request,
                                        catalog::Context& /*context*/) override {
    if (request.argument != "page") return protocol::Completion{};
    std::vector<std::string> values;
    for (const auto& folder : *folders_) {
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
    if (const std::optional<PageUri> page = parse_uri(uri)) watched_.add(page->page, uri);
  }
  void unwatch(const ResourceUri& uri) override {
    if (const std::optional<PageUri> page = parse_uri(uri)) watched_.remove(page->page, uri);
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

  // On the thread of a watcher.
  void tell(const std::string& prefix, const std::vector<fs::Change>& changes) {
    bool is_list_changed = false;
    std::set<std::string> touched;
    const auto touch = [&touched](const std::vector<std::string>& uris) {
      touched.insert(uris.begin(), uris.end());
    };
    for (const fs::Change& change : changes) {
      // A folder that comes or goes has pages in it.
      is_list_changed |= change.kind != fs::ChangeKind::kModified;
      const std::optional<std::string_view> name = page_name(change.path);
      if (change.kind == fs::ChangeKind::kRescan) {
        touch(watched_.beneath(prefix));
      } else if (name) {
        touch(watched_.at(contents::beneath(prefix, *name)));
        touch(watched_.at(contents::beneath(prefix, change.path)));
      }
    }
    if (is_list_changed) sink_->resources_changed();
    for (const std::string& uri : touched) sink_->resource_updated(uri);
  }

  catalog::ChangeSink* sink_ = nullptr;                     // Set once, before anything is watched.
  contents::WatchedUris watched_;                           // By page.
  const std::unique_ptr<contents::ServedFolders> folders_;  // Last: its threads use what is above.
};

}  // namespace

Result<std::shared_ptr<catalog::Provider>> make_docs_provider(
    const std::vector<contents::FolderSpec>& folders) {
  SLUICE_TRY(std::unique_ptr<contents::ServedFolders> opened, contents::ServedFolders::open(folders));
  return std::shared_ptr<catalog::Provider>(std::make_shared<DocsProvider>(std::move(opened)));
}

Result<std::size_t> count_pages(const contents::FolderSpec& folder) {
  SLUICE_TRY(const std::unique_ptr<contents::ServedFolder> opened,
             contents::ServedFolder::open(folder, std::string()));
  SLUICE_TRY(const std::vector<DocPage> pages, pages_of(*opened->root()));
  return pages.size();
}

}  // namespace sluice::docs
