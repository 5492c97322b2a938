#include "sluice/fs/names.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"
#include "sluice/fs/durable.h"

#include "folder_stream.h"
#include "os_error.h"
#include "relative_path.h"

namespace sluice::fs {
namespace {

// Links, and what a file system does not tell the kind of, have to be looked at.
std::optional<Name> read_name(const Root& root, std::string_view relative_folder, const dirent& found) {
  const std::string_view name = found.d_name;
  if (name == "." || name == ".." || !is_valid_utf8(name) || is_temporary_name(name)) return std::nullopt;
  if (found.d_type == DT_REG) return Name{.name = std::string(name), .kind = EntryKind::kFile};
  if (found.d_type == DT_DIR) return Name{.name = std::string(name), .kind = EntryKind::kFolder};
  if (found.d_type != DT_LNK && found.d_type != DT_UNKNOWN) return Name{.name = std::string(name)};
  const Result<Entry> entry = root.stat(join_path(relative_folder, name));
  if (!entry.ok()) return std::nullopt;
  return Name{.name = std::string(name), .kind = entry->kind, .is_link = entry->is_link};
}

}  // namespace

Result<std::vector<Name>> list_names(const Root& root, std::string_view relative_folder) {
  SLUICE_TRY(Descriptor descriptor,
             root.open_descriptor(relative_folder, {.flags = O_RDONLY | O_DIRECTORY, .mode = 0}));
  const FolderStream folder = open_stream(std::move(descriptor));
  if (!folder) return os_error("list folder", errno, relative_folder);
  std::vector<Name> names;
  while (names.size() < kFolderEntriesMax) {
    errno = 0;
    const dirent* found = ::readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): `folder` is ours alone.
    if (found == nullptr && errno != 0) return os_error("list folder", errno, relative_folder);
    if (found == nullptr) break;
    if (std::optional<Name> name = read_name(root, relative_folder, *found))
      names.push_back(*std::move(name));
  }
  return names;
}

}  // namespace sluice::fs
