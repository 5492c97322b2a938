#pragma once

#include <string>
#include <string_view>

namespace sluice::files {

// Whether a file or folder of that name is served: not where it is hidden (.env, .git) or what an editor or
// an upload leaves while it writes (notes.md~, #notes.md#, notes.md.tmp).
bool is_served_name(std::string_view name);

// Whether that holds for every name of the path, and each is one: none empty, "." or "..".
bool is_served_path(std::string_view path);

std::string_view last_name(std::string_view path);      // "a/b" → "b"
std::string_view parent_folder(std::string_view path);  // "a/b" → "a"; "a" → ""
std::string beneath(std::string_view folder, std::string_view name);

}  // namespace sluice::files
