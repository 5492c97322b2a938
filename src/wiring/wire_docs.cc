#include "wire_docs.h"

#include <fmt/format.h>

#include "sluice/docs/docs_provider.h"

namespace sluice::wiring {

std::vector<CheckLine> check_docs(const config::Config& config) {
  std::vector<CheckLine> lines;
  for (const contents::FolderSpec& folder : config.docs) {
    const Result<std::size_t> pages = docs::count_pages(folder);
    lines.push_back({.ok = pages.ok(),
                     .subject = "docs " + folder.name,
                     .finding = pages.ok() ? fmt::format("{} pages", *pages) : pages.error().message});
  }
  return lines;
}

}  // namespace sluice::wiring
