#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::files {

// What reading a folder gives: the listing, then the text files in it, whole and in order, as far as they fit
// into contents::kContentBytesMax together. `folder_uri` is the folder's own, `uri` as the caller wrote it.
struct FolderRequest {
  std::string path;
  std::string folder_uri;
  std::string uri;
};
Result<std::vector<protocol::ResourceContents>> read_folder(const fs::Root& root,
                                                            const FolderRequest& request);

}  // namespace sluice::files
