#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::files {

// What reading a folder gives: the listing, then the text files in it, whole and in order, as far as they fit
// into contents::kContentBytesMax together and all of it into `room`.
struct FolderRequest {
  std::string path;
  std::string folder_uri;       // The folder's own.
  std::string uri;              // As the caller wrote it.
  bool is_list = false;         // The listing alone.
  std::string after = {};       // The decoded segment behind which it begins. Empty: with the first.
  std::size_t room = SIZE_MAX;  // See contents::read_room.
};
Result<std::vector<protocol::ResourceContents>> read_folder(const fs::Root& root,
                                                            const FolderRequest& request);

}  // namespace sluice::files
