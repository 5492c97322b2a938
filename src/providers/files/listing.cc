#include "listing.h"

#include <algorithm>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/log.h"
#include "sluice/contents/resource_path.h"

#include "entries.h"

namespace sluice::files {

namespace {

// A folder that is being listed: what is left of it, and how much of that is in order.
struct Level {
  std::string path;
  std::string uri;
  std::vector<Child> children;
  std::size_t next = 0;
  std::size_t sorted = 0;
};

Level open_level(const fs::Root& root, std::string path, std::string uri, const Page& page) {
  Level level{.path = std::move(path), .uri = std::move(uri), .children = {}};
  Result<std::vector<Child>> children = children_of(root, level.path);
  if (!children.ok()) {
    log::warning("folder_not_listed", {{"reason", children.error().message}});
    return level;
  }
  // What the page begins after lies in this folder, or before all of it.
  std::string_view after = page.after;
  after = after.starts_with(level.uri) ? after.substr(level.uri.size()) : std::string_view();
  const auto is_passed = [&](const Child& child) {
    return child.segment <= after && !(child.is_folder && after.starts_with(child.segment));
  };
  level.children = *std::move(children);
  level.children.erase(std::remove_if(level.children.begin(), level.children.end(), is_passed),
                       level.children.end());
  return level;
}

// The next child. A page needs few of a large folder's, so only those are put in order.
const Child* take_child(Level& level, std::size_t wanted) {
  if (level.next == level.children.size()) return nullptr;
  if (level.next == level.sorted) {
    level.sorted = std::min(level.children.size(), level.next + wanted + 1);
    const auto at = [&](std::size_t i) { return level.children.begin() + static_cast<std::ptrdiff_t>(i); };
    std::partial_sort(at(level.next), at(level.sorted), level.children.end(),
                      [](const Child& a, const Child& b) { return a.segment < b.segment; });
  }
  return &level.children[level.next++];
}

}  // namespace

// A folder's URI ends with a slash, so going down where a folder stands gives the order of URIs.
void add_beneath(const fs::Root& root, const std::string& folder, const std::string& folder_uri, Page& page) {
  std::vector<Level> levels;
  levels.push_back(open_level(root, folder, folder_uri, page));
  while (!levels.empty() && !page.is_full()) {
    Level& level = levels.back();
    const Child* child = take_child(level, page.limit - page.resources.size());
    if (child == nullptr) {
      levels.pop_back();
      continue;
    }
    const std::string path = contents::beneath(level.path, child->name);
    const std::string uri = level.uri + child->segment;
    if (page.wants(uri)) {
      Result<protocol::Resource> resource = resource_of(root, path, uri);
      if (!resource.ok()) continue;  // It is gone by now.
      page.resources.push_back(*std::move(resource));
    }
    if (child->is_folder && !child->is_link && levels.size() < kPathDepthMax)
      levels.push_back(open_level(root, path, uri, page));
  }
}

}  // namespace sluice::files
