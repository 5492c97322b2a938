#include "wire_files.h"

#include <utility>

#include <fmt/format.h>

#include "named_folder.h"

namespace sluice::app {

Result<std::vector<files::FolderSpec>> read_files(YamlMap& config, const std::string& name) {
  SLUICE_TRY(std::vector<NamedFolder> named, read_named_folders(config, "files", name));
  std::vector<files::FolderSpec> folders;
  for (NamedFolder& folder : named) {
    files::FolderSpec& spec = folders.emplace_back(
        files::FolderSpec{.name = std::move(folder.name), .path = std::move(folder.path)});
    spec.ttl = folder.ttl.value_or(spec.ttl);
    spec.binary_bytes_max = folder.binary_bytes.value_or(spec.binary_bytes_max);
  }
  return folders;
}

std::vector<CheckLine> check_files(const Config& config) {
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

}  // namespace sluice::app
