#pragma once

#include <memory>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/catalog/provider.h"
#include "sluice/contents/served_folder.h"

namespace sluice::docs {

// The Markdown pages of one folder or more as resources: `docs://guide/start` for guide/start.md, behind the
// folder's name where there are several. Fails where a folder cannot be opened.
Result<std::shared_ptr<catalog::Provider>> make_docs_provider(
    const std::vector<contents::FolderSpec>& folders);

// How many pages a folder has, for a report.
Result<std::size_t> count_pages(const contents::FolderSpec& folder);

}  // namespace sluice::docs
