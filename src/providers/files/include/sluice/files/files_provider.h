#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/served_folder.h"

namespace sluice::files {

using contents::FolderSpec;
using contents::FolderSummary;
using contents::summarize;

// The files of one folder or more as resources, `file:///notes/today.md`: relative to the folder where there
// is one, else behind the folder's name. What is hidden or temporary is not served, and nothing outside of
// the folders is. Changes are told. Fails where a folder cannot be opened: folder_not_found.
Result<std::shared_ptr<catalog::Provider>> make_files_provider(const std::vector<FolderSpec>& folders);

}  // namespace sluice::files
