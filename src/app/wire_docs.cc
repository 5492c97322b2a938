#include "wire_docs.h"

#include <utility>

#include <fmt/format.h>

#include "sluice/docs/docs_provider.h"

#include "named_folder.h"

namespace sluice::app {

Result<std::vector<contents::FolderSpec>> read_docs(YamlMap& config, const std::string& name) {
  SLUICE_TRY(std::vector<NamedFolder> named, read_named_folders(config, "docs", name));
  std::vector<contents::FolderSpec> folders;
  for (NamedFolder& folder : named) {
    contents::FolderSpec& spec = folders.emplace_back(
        contents::FolderSpec{.name = std::move(folder.name), .path = std::move(folder.path)});
    spec.ttl = folder.ttl.value_or(spec.ttl);
  }
  return folders;
}

std::vector<CheckLine> check_docs(const Config& config) {
  std::vector<CheckLine> lines;
  for (const contents::FolderSpec& folder : config.docs) {
    const Result<std::size_t> pages = docs::count_pages(folder);
    lines.push_back({.ok = pages.ok(),
                     .subject = "docs " + folder.name,
                     .finding = pages.ok() ? fmt::format("{} pages", *pages) : pages.error().message});
  }
  return lines;
}

}  // namespace sluice::app
