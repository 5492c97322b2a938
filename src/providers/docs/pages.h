#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/fs/root.h"

namespace sluice::docs {

// A Markdown file, and what stands for it in a URI.
struct DocPage {
  std::string path;  // Beneath its folder.
  std::string name;  // The path without its ending. Two files may not share it; the first by path has it.
};

// `guide/start` for `guide/start.md`. Nothing where it is no Markdown.
std::optional<std::string_view> page_name(std::string_view path);

// All pages of a folder by name. Hidden ones are left out, and those of linked folders.
Result<std::vector<DocPage>> pages_of(const fs::Root& root);

// The file behind a name, with or without its ending. Nothing where there is none.
std::optional<std::string> find_page(const fs::Root& root, const std::string& name);

// What a page calls itself: `title:` of its front matter, else its first heading. Empty where it has neither.
std::string title_of(std::string_view beginning);

}  // namespace sluice::docs
