#include "entries.h"

#include <utility>

#include "sluice/base/clock.h"
#include "sluice/base/text.h"
#include "sluice/base/uri.h"
#include "sluice/contents/media_type.h"
#include "sluice/contents/resource_path.h"
#include "sluice/contents/served_name.h"
#include "sluice/fs/names.h"

namespace sluice::files {

namespace {

std::string sniffed_type(const fs::Root& root, const std::string& path) {
  const Result<fs::File> file = root.open_beneath(path);
  if (!file.ok()) return std::string(contents::type_of_content({}));
  const Result<std::string> head = file->read_at(0, contents::kSniffBytes);
  return std::string(contents::type_of_content(head.ok() ? std::string_view(*head) : std::string_view()));
}

}  // namespace

Result<std::vector<Child>> children_of(const fs::Root& root, std::string_view folder) {
  SLUICE_TRY(std::vector<fs::Name> names, fs::list_names(root, folder));
  std::vector<Child> out;
  for (fs::Name& found : names) {
    if (found.kind == fs::EntryKind::kOther || !contents::is_served_name(found.name)) continue;
    const bool is_folder = found.kind == fs::EntryKind::kFolder;
    std::string segment = percent_encode(found.name);
    if (is_folder) segment += '/';
    out.push_back({.segment = std::move(segment),
                   .name = std::move(found.name),
                   .is_folder = is_folder,
                   .is_link = found.is_link});
  }
  return out;
}

protocol::Resource folder_resource(std::string uri, std::string_view name) {
  protocol::Resource out;
  out.uri = std::move(uri);
  out.name = encode_controls(name);
  out.mime_type = std::string(contents::kFolderType);
  return out;
}

Result<protocol::Resource> resource_of(const fs::Root& root, const std::string& path, std::string uri) {
  SLUICE_TRY(const fs::Entry entry, root.stat(path));
  if (entry.kind == fs::EntryKind::kOther) return not_found("no file or folder: " + excerpt(path));
  protocol::Resource out = folder_resource(std::move(uri), contents::last_name(path));
  protocol::Annotations annotations;
  annotations.last_modified = format_utc(entry.modified);
  out.annotations = std::move(annotations);
  if (entry.kind == fs::EntryKind::kFolder) return out;
  const std::optional<std::string_view> named = contents::type_of_name(entry.name);
  out.mime_type = named ? std::string(*named) : sniffed_type(root, path);
  out.size = entry.bytes;
  return out;
}

}  // namespace sluice::files
