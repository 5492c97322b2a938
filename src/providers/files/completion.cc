#include "completion.h"

#include "sluice/contents/completion.h"

#include "entries.h"

namespace sluice::files {

std::vector<std::string> values_in(const fs::Root& root, std::string_view folder, std::string_view before) {
  std::vector<std::string> out;
  const Result<std::vector<Child>> children = children_of(root, folder);
  if (!children.ok()) return out;  // Nothing can be completed there.
  for (const Child& child : *children)
    out.push_back(std::string(before) + contents::template_value(child.name) + (child.is_folder ? "/" : ""));
  return out;
}

}  // namespace sluice::files
