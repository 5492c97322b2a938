#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sluice/base/result.h"
#include "sluice/contents/contents.h"
#include "sluice/contents/uri_query.h"
#include "sluice/fs/root.h"
#include "sluice/protocol/model/resource.h"

namespace sluice::contents {

struct FileRequest {
  std::string path;  // Beneath the root.
  std::string uri;   // As the caller wrote it.
  Range range;
  std::size_t room = SIZE_MAX;                      // As in ContentsRequest.
  std::size_t binary_bytes_max = kContentBytesMax;  // As in ContentsRequest.
};

// The contents of a file, as read_contents gives them.
Result<protocol::ResourceContents> read_file(const fs::Root& root, const FileRequest& request);
// Of one that was opened at that path already, or not.
Result<protocol::ResourceContents> read_file(Result<fs::File> file, const FileRequest& request);

}  // namespace sluice::contents
