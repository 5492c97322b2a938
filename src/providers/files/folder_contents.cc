#include "folder_contents.h"

#include <algorithm>
#include <utility>

#include "sluice/contents/contents.h"
#include "sluice/contents/file_contents.h"
#include "sluice/contents/listing.h"
#include "sluice/contents/media_type.h"
#include "sluice/contents/resource_path.h"

#include "entries.h"

namespace sluice::files {

namespace {

constexpr std::size_t kFolderEntriesShown = 1'000;  // resources/list has all.

bool fits(const protocol::Resource& entry, std::size_t room) {
  return entry.size && *entry.size <= room && contents::is_text_type(entry.mime_type.value_or(""));
}

}  // namespace

Result<std::vector<protocol::ResourceContents>> read_folder(const fs::Root& root,
                                                            const FolderRequest& request) {
  Result<std::vector<Child>> children = children_of(root, request.path);
  if (!children.ok()) return contents::read_failure(children.error(), request.uri);
  const std::size_t shown = std::min(children->size(), kFolderEntriesShown);
  std::partial_sort(children->begin(), children->begin() + static_cast<std::ptrdiff_t>(shown),
                    children->end(), [](const Child& a, const Child& b) { return a.segment < b.segment; });
  std::vector<protocol::Resource> entries;
  std::vector<protocol::ResourceContents> files;
  std::size_t room = contents::kContentBytesMax;
  for (std::size_t i = 0; i < shown; ++i) {
    const Child& child = (*children)[i];
    const std::string path = contents::beneath(request.path, child.name);
    Result<protocol::Resource> entry = resource_of(root, path, request.folder_uri + child.segment);
    if (!entry.ok()) continue;  // It is gone by now.
    entries.push_back(*std::move(entry));
    if (!fits(entries.back(), room)) continue;
    Result<protocol::ResourceContents> file =
        contents::read_file(root, {.path = path, .uri = entries.back().uri, .range = {}});
    const auto* text = file.ok() ? std::get_if<protocol::TextBody>(&file->body) : nullptr;
    if (text == nullptr || text->text.size() > room) continue;
    room -= text->text.size();
    files.push_back(*std::move(file));
  }
  std::vector<protocol::ResourceContents> out;
  out.push_back(contents::listing_contents(request.uri, entries, children->size()));
  std::move(files.begin(), files.end(), std::back_inserter(out));
  return out;
}

}  // namespace sluice::files
