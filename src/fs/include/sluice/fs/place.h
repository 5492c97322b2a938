#pragma once

#include <string>

#include "sluice/fs/root.h"

namespace sluice::fs {

// Whether the folder at `path` is the one that `root` holds. A Root goes along with its folder when that is
// moved, so another folder may stand in its place. True where there is none: nothing has replaced it.
bool is_at(const Root& root, const std::string& path);

}  // namespace sluice::fs
