#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/clock.h"
#include "sluice/base/result.h"
#include "sluice/fs/descriptor.h"
#include "sluice/fs/file.h"

namespace sluice::fs {

enum class EntryKind : std::uint8_t { kFile, kFolder, kOther };

// What stands in a folder. A symbolic link that may be followed is described by what it leads to.
struct Entry {
  std::string name;
  EntryKind kind = EntryKind::kOther;
  bool is_link = false;  // A walk that enters linked folders may run in circles.
  std::uint64_t bytes = 0;
  WallTime modified;
  FileIdentity identity;
};

struct Listing {
  std::vector<Entry> entries;  // By name, byte by byte.
  bool truncated = false;      // There are more than kFolderEntriesMax; these are some of them.
};

enum class Symlinks : std::uint8_t {
  kInside,  // Followed as long as they are relative and stay beneath the folder.
  kRefuse,  // Never followed.
};

enum class Resolution : std::uint8_t {
  kKernel,      // openat2, or component by component where the system does not have it.
  kComponents,  // Component by component; symbolic links are then never followed.
};

struct RootOptions {
  Symlinks symlinks = Symlinks::kInside;
  Resolution resolution = Resolution::kKernel;
};

// A folder that was opened once. Everything below is looked up from its descriptor and cannot leave it,
// whatever is renamed or linked meanwhile. Paths are relative: names joined by single slashes; "" is the
// folder itself where a folder may be meant. Errors name the path as it was given, never where the folder is.
// Any thread.
class Root {
 public:
  static Result<Root> open(const std::string& path, RootOptions options = {});

  // A regular file, open for reading. Folders, devices, pipes and sockets are refused.
  Result<File> open_beneath(std::string_view relative_path) const;

  // Leaves out what cannot be opened or named: links that may not be followed, names that are not UTF-8, and
  // temporary files of replace_file.
  Result<Listing> list(std::string_view relative_folder) const;

  Result<Entry> stat(std::string_view relative_path) const;

  // What the rest of this module is made of: open(2) beneath the folder. Callers elsewhere use the above.
  struct OpenHow {
    int flags = 0;
    unsigned mode = 0;
  };
  Result<Descriptor> open_descriptor(std::string_view relative_path, OpenHow how) const;

 private:
  Root(Descriptor descriptor, RootOptions options);

  Descriptor descriptor_;
  RootOptions options_;
};

}  // namespace sluice::fs
