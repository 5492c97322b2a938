#include "relative_path.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "sluice/base/limits.h"
#include "sluice/base/text.h"

namespace sluice::fs {
namespace {

Error invalid_path(std::string_view what, std::string_view path) {
  return invalid_input(fmt::format("path {}: {}", what, excerpt(path, 200))).with_code("invalid_path");
}

}  // namespace

Status check_relative(std::string_view path) {
  if (path.size() > kPathBytesMax) return invalid_path("is too long", path);
  if (path.find('\0') != std::string_view::npos) return invalid_path("has a NUL", path);
  if (path.starts_with('/')) return invalid_path("is not relative", path);
  std::size_t depth = 0;
  for (std::size_t at = 0; !path.empty() && at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view component = path.substr(at, end - at);
    if (component.empty()) return invalid_path("has an empty component", path);
    if (component == "." || component == "..")
      return invalid_path("has a component that is not a name", path);
    if (component.size() > kFileNameBytesMax) return invalid_path("has a name that is too long", path);
    if (++depth > kPathDepthMax) return invalid_path("is too deep", path);
    at = end + 1;
  }
  return {};
}

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {.folder = {}, .name = path};
  return {.folder = path.substr(0, slash), .name = path.substr(slash + 1)};
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  return fmt::format("{}/{}", folder, name);
}

bool is_within(std::string_view path, std::string_view folder) {
  if (folder.empty()) return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace sluice::fs
