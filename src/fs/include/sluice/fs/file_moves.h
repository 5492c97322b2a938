#pragma once

#include <cstdint>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"

// Changes to names and sizes of files, each of them on disk when it returns. Paths are beneath the folder.
namespace sluice::fs {

// A folder that exists is fine.
Status make_folder(const Root& root, std::string_view relative_folder);

// A second file with the bytes of the first, in time that does not depend on its size: a copy that shares the
// blocks where the file system has them, so that nobody can change both at once, else a second name of the
// same file. Fails with kConflict where `to` exists.
Status snapshot_file(const Root& root, std::string_view from, std::string_view to);

// Makes what others have written there durable.
Status sync_file(const Root& root, std::string_view relative_path);

// `to` is replaced in one step: readers find the old file or the new one.
Status move_file(const Root& root, std::string_view from, std::string_view to);

// Cuts a file to its first `bytes` bytes.
Status cut_file(const Root& root, std::string_view relative_path, std::uint64_t bytes);

// A file that is not there is fine.
Status remove_file(const Root& root, std::string_view relative_path);

}  // namespace sluice::fs
