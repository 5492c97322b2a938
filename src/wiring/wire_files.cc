#include "wire_files.h"

#include <fmt/format.h>

namespace sluice::wiring {

std::vector<CheckLine> check_files(const config::Config& config) {
  std::vector<CheckLine> lines;
  for (const files::FolderSpec& folder : config.files) {
    const Result<files::FolderSummary> summary = files::summarize(folder);
    const std::string subject = "files " + folder.name;
    if (!summary.ok()) {
      lines.push_back({.ok = false, .subject = subject, .finding = summary.error().message});
      continue;
    }
    lines.push_back({.ok = true,
                     .subject = subject,
                     .finding = fmt::format("{} files in {} folders{}", summary->files, summary->folders + 1,
                                            summary->truncated ? ", and more that are not listed" : "")});
  }
  return lines;
}

Status add_files(const config::Config& config, Providers& providers) {
  if (config.files.empty()) return {};
  SLUICE_TRY(providers.emplace_back(), files::make_files_provider(config.files));
  return {};
}

json::Array describe_files(const config::Config& config) {
  json::Array out;
  for (const files::FolderSpec& folder : config.files) {
    json::Object one{{"name", folder.name}, {"kind", "files"}, {"scheme", "file"}};
    if (const Result<files::FolderSummary> summary = files::summarize(folder); summary.ok()) {
      one.set("files", summary->files);
      one.set("folders", summary->folders);
    } else {
      one.set("error", summary.error().message);
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace sluice::wiring
