#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

struct Name {
  std::string name;
  EntryKind kind = EntryKind::kOther;
  bool is_link = false;  // Described by what it leads to, as an Entry is.
};

// What stands in a folder, in no order: the names of Root::list without the rest, at a fraction of its cost.
// At most kFolderEntriesMax.
Result<std::vector<Name>> list_names(const Root& root, std::string_view relative_folder);

}  // namespace sluice::fs
