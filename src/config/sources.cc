#include "sources.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/query/file_dataset.h"

#include "reserved_names.h"

namespace sluice::config {
namespace {

using collections::CollectionSpec;

constexpr std::size_t kNameBytesOfFolderMax = 48;  // A number may follow it.

// What a folder is called, as far as it can be shown.
std::string name_of(const std::filesystem::path& folder) {
  const std::string name = excerpt(folder.filename().string(), kNameBytesOfFolderMax);
  return name.empty() ? "data" : name;
}

bool is_flat(const CollectionSpec& spec) {
  return !spec.pattern.empty() && spec.pattern.find('/') == std::string::npos;
}

}  // namespace

Result<CollectionSpec> collection_of_source(const std::string& path) {
  std::error_code reason;
  const std::filesystem::path found = std::filesystem::canonical(path, reason);
  const bool is_folder = !reason && std::filesystem::is_directory(found, reason);
  if (reason) {
    return not_found(fmt::format("open {}: {}", excerpt(path, 200), reason.message()))
        .with_code("source_not_found")
        .with_hint("Give a folder, a data file, or a configuration file: sluice.yaml.");
  }
  CollectionSpec spec;
  if (is_folder) {
    spec.folder = found.string();
    spec.name = name_of(found);
    return spec;
  }
  if (!std::filesystem::is_regular_file(found, reason) || !query::kind_of_file(found.filename().string())) {
    return unsupported(fmt::format("no kind of source for {}", excerpt(path, 200)))
        .with_code("unsupported_source")
        .with_hint(
            "Data files end in .csv, .tsv, .json, .geojson, .ndjson, .jsonl (each also .gz, .zst), .parquet, "
            ".xlsx, .ods, .xls, .duckdb, .arrow, .feather, .ipc, or .db, .sqlite or .sqlite3 where they are "
            "SQLite databases.");
  }
  spec.folder = found.parent_path().string();
  spec.file = found.filename().string();
  spec.name = name_of(query::kind_of_file(spec.file)->stem);
  return spec;
}

void make_names_unique(std::vector<CollectionSpec>& collections) {
  std::set<std::string> taken;
  for (CollectionSpec& spec : collections) {
    const std::string name = spec.name;
    for (std::size_t i = 2; is_reserved_name(spec.name) || !taken.insert(spec.name).second; ++i)
      spec.name = fmt::format("{}-{}", name, i);
  }
  if (collections.size() < 2) return;
  const auto keeps_names = std::find_if(collections.begin(), collections.end(), is_flat);
  for (auto spec = collections.begin(); spec != collections.end(); ++spec) {
    if (spec == keeps_names) continue;
    const bool is_alone = !spec->file.empty() && keeps_names == collections.end();
    if (!is_alone) spec->name_prefix = spec->name + "/";
  }
}

}  // namespace sluice::config
