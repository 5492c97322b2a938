#pragma once

#include <cstddef>
#include <string>

#include "sluice/base/result.h"
#include "sluice/base/uri.h"
#include "sluice/fs/root.h"
#include "sluice/protocol/model/resource.h"

#include "file_uri.h"

namespace sluice::files {

// What one read gives of a file, and of all that a folder's read gives of its files.
inline constexpr std::size_t kContentBytesMax = 100 * 1024;

struct FileRequest {
  std::string path;  // Beneath the root.
  std::string uri;   // As the caller wrote it.
  Range range;
};

// The contents of a file: text as UTF-8, anything else as its bytes. Text that goes on beyond
// kContentBytesMax is cut with a mark. A range is of the file's bytes; of text it has every character whose
// last byte is in it, so that ranges that follow one another give the whole text.
Result<protocol::ResourceContents> read_file(const fs::Root& root, const FileRequest& request);

// What a failure beneath a folder is for the caller: nothing there, which is also said of what may not be
// opened; or a failed read, without a path.
Error read_failure(const Error& cause, const std::string& uri);

}  // namespace sluice::files
