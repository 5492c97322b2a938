#include "folder_config.h"

#include <utility>

#include "named_folder.h"

namespace sluice::config {

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

}  // namespace sluice::config
