#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sluice/fs/root.h"

namespace sluice::files {

// What stands in a folder, as values that begin with `before`. Those of folders end with a slash.
std::vector<std::string> values_in(const fs::Root& root, std::string_view folder, std::string_view before);

}  // namespace sluice::files
