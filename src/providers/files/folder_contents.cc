#include "folder_contents.h"

#include <algorithm>
#include <utility>

#include "sluice/base/uri.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/file_contents.h"
#include "sluice/contents/listing.h"
#include "sluice/contents/media_type.h"
#include "sluice/contents/read_room.h"
#include "sluice/contents/resource_path.h"

#include "entries.h"

namespace sluice::files {

namespace {

constexpr std::size_t kFolderEntriesShown = 1'000;
constexpr std::size_t kFileFieldsBytes = 60;  // Around the text of a file.

bool fits(const protocol::Resource& entry, std::size_t room) {
  return entry.size && *entry.size <= room && contents::is_text_type(entry.mime_type.value_or(""));
}

// The children behind `after`, in order of their segment: as many as one listing shows, and one more.
std::vector<Child> children_behind(std::vector<Child> children, const std::string& after) {
  std::erase_if(children, [&](const Child& child) { return !after.empty() && child.segment <= after; });
  const std::size_t wanted = std::min(children.size(), kFolderEntriesShown + 1);
  std::partial_sort(children.begin(), children.begin() + static_cast<std::ptrdiff_t>(wanted), children.end(),
                    [](const Child& a, const Child& b) { return a.segment < b.segment; });
  children.resize(wanted);
  return children;
}

// The text files among the entries, as far as they fit.
std::vector<protocol::ResourceContents> files_among(const fs::Root& root, const FolderRequest& request,
                                                    const std::vector<Child>& children,
                                                    const std::vector<protocol::Resource>& entries,
                                                    std::size_t room) {
  std::vector<protocol::ResourceContents> out;
  std::size_t text_room = contents::kContentBytesMax;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t envelope = 2 * entries[i].uri.size() + kFileFieldsBytes;
    if (envelope >= room) break;
    if (!fits(entries[i], std::min(text_room, room - envelope))) continue;
    Result<protocol::ResourceContents> file = contents::read_file(
        root,
        {.path = contents::beneath(request.path, children[i].name), .uri = entries[i].uri, .range = {}});
    const auto* text = file.ok() ? std::get_if<protocol::TextBody>(&file->body) : nullptr;
    if (text == nullptr || text->text.size() > text_room) continue;
    const std::size_t bytes = envelope + contents::json_string_bytes(text->text);
    if (bytes > room) continue;
    text_room -= text->text.size();
    room -= bytes;
    out.push_back(*std::move(file));
  }
  return out;
}

}  // namespace

Result<std::vector<protocol::ResourceContents>> read_folder(const fs::Root& root,
                                                            const FolderRequest& request) {
  Result<std::vector<Child>> all = children_of(root, request.path);
  if (!all.ok()) return contents::read_failure(all.error(), request.uri);
  const std::size_t total = all->size();
  const std::vector<Child> candidates = children_behind(*std::move(all), request.after);
  std::vector<Child> children;
  std::vector<protocol::Resource> entries;
  for (const Child& child : candidates) {
    Result<protocol::Resource> entry =
        resource_of(root, contents::beneath(request.path, child.name), request.folder_uri + child.segment);
    if (!entry.ok()) continue;  // It is gone by now.
    entries.push_back(*std::move(entry));
    children.push_back(child);
  }
  const std::size_t found = entries.size();
  entries.resize(std::min(contents::entries_that_fit(entries, request.room), kFolderEntriesShown));
  std::string next;
  if (entries.size() < found)
    next = request.folder_uri + "?list&after=" + percent_encode(children[entries.size() - 1].segment);
  std::vector<protocol::ResourceContents> out;
  out.push_back(contents::listing_contents(request.uri, entries, total, next));
  if (request.is_list) return out;
  const std::size_t listed = contents::json_string_bytes(std::get<protocol::TextBody>(out[0].body).text);
  for (protocol::ResourceContents& file :
       files_among(root, request, children, entries, request.room - std::min(request.room, listed)))
    out.push_back(std::move(file));
  return out;
}

}  // namespace sluice::files
