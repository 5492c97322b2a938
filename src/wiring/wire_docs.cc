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

Status add_docs(const config::Config& config, Providers& providers) {
  if (config.docs.empty()) return {};
  SLUICE_TRY(providers.emplace_back(), docs::make_docs_provider(config.docs));
  return {};
}

json::Array describe_docs(const config::Config& config) {
  json::Array out;
  for (const contents::FolderSpec& folder : config.docs) {
    const Result<std::size_t> pages = docs::count_pages(folder);
    json::Object one{{"name", folder.name}, {"kind", "docs"}, {"scheme", "docs"}};
    if (pages.ok()) {
      one.set("pages", *pages);
    } else {
      one.set("error", pages.error().message);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace sluice::wiring
