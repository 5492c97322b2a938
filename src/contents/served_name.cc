#include "sluice/contents/served_name.h"

#include "sluice/base/limits.h"
#include "sluice/fs/durable.h"

namespace sluice::contents {

bool is_served_name(std::string_view name) {
  if (name.empty() || name.size() > kFileNameBytesMax || name.starts_with('.')) return false;
  if (name.ends_with('~') || name.ends_with(".tmp")) return false;
  if (name.starts_with('#') && name.ends_with('#')) return false;
  return !fs::is_temporary_name(name);
}

bool is_served_path(std::string_view path) {
  if (path.size() > kPathBytesMax) return false;
  while (true) {
    const std::size_t slash = path.find('/');
    if (!is_served_name(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace sluice::contents
