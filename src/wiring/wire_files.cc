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

}  // namespace sluice::wiring
