#pragma once

#include <string_view>

namespace sluice::contents {

// Whether a file or folder of that name is served: not where it is hidden (.env, .git) or what an editor or
// an upload leaves while it writes (notes.md~, #notes.md#, notes.md.tmp).
bool is_served_name(std::string_view name);

// Whether that holds for every name of the path, and each is one: none empty, "." or "..".
bool is_served_path(std::string_view path);

}  // namespace sluice::contents
