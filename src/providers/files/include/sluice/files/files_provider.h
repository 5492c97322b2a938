#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"

namespace sluice::files {

// A folder whose files are resources.
struct FolderSpec {
  std::string name;  // With several folders, the first segment of their URIs. A file name; each is another.
  std::string path;
};

// The files of one folder or more as resources, `file:///notes/today.md`: relative to the folder where there
// is one, else behind the folder's name. What is hidden or temporary is not served, and nothing outside of
// the folders is. Changes are told. Fails where a folder cannot be opened: folder_not_found.
Result<std::shared_ptr<catalog::Provider>> make_files_provider(const std::vector<FolderSpec>& folders);

// What a folder offers, for a report. Reads the names of all of it.
struct FolderSummary {
  std::size_t files = 0;
  std::size_t folders = 0;
  bool truncated = false;  // There are more than a scan sees.
};
Result<FolderSummary> summarize(const FolderSpec& folder);

}  // namespace sluice::files
