#pragma once

#include <cstddef>
#include <string_view>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::fs {

// Makes `bytes` the content of a file, which need not exist; its folder must. Readers see the old content or
// the new, never a mixture, also after a power cut. On failure the old content stands, except where the error
// comes from syncing the folder: the new content is then visible and whole, and a power cut may bring the old
// one back. A symbolic link is itself replaced. Two writers of one file do not mix; the last one wins.
Status replace_file(const Root& root, std::string_view relative_path, std::string_view bytes);

// The same for secrets: nobody but the owner may read the new file (mode 0600), whoever could read the old
// one, and nobody could while it was written.
Status replace_private_file(const Root& root, std::string_view relative_path, std::string_view bytes);

// Adds `bytes` to the end of a file, which is made where it does not exist, and returns when they are on
// disk. On failure the file is cut back to what it was. A power cut may leave a part of `bytes`: records need
// an end mark. One caller at a time for a file.
Status append_durable(const Root& root, std::string_view relative_path, std::string_view bytes);

// What replace_file calls its files until they are complete. Listings and watchers do not show them.
bool is_temporary_name(std::string_view name);

// Removes the temporary files that a crash left in a folder; returns how many. Only while nobody writes
// there.
Result<std::size_t> remove_temporaries(const Root& root, std::string_view relative_folder);

}  // namespace sluice::fs
