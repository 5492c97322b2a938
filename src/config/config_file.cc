#include "sluice/config/config_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "sluice/fs/root.h"

#include "database_config.h"
#include "git_config.h"
#include "sources.h"

namespace sluice::config {
namespace {

constexpr std::size_t kConfigBytesMax = std::size_t{1024} * 1024;

bool is_config(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

Error cannot_open(const std::string& path, std::string_view reason) {
  return not_found(fmt::format("open {}: {}", path, reason)).with_code("configuration_not_found");
}

}  // namespace

Result<std::string> read_config_file(const std::string& path) {
  std::error_code reason;
  const std::filesystem::path found = std::filesystem::canonical(path, reason);
  if (reason) return cannot_open(path, reason.message());
  const Result<fs::Root> folder = fs::Root::open(found.parent_path().string());
  if (!folder.ok()) return cannot_open(path, "its folder cannot be opened");
  const Result<fs::File> file = folder->open_beneath(found.filename().string());
  if (!file.ok()) {
    const bool is_file = std::filesystem::is_regular_file(found, reason);
    return cannot_open(path, is_file ? "it cannot be read" : "not a file");
  }
  Result<std::string> text = file->read_all(kConfigBytesMax);
  if (text.ok()) return text;
  if (text.error().kind == ErrorKind::kLimitReached)
    return limit_reached(fmt::format("bytes in {}", path), kConfigBytesMax);
  return cannot_open(path, "it cannot be read");
}

std::vector<std::string> read_beside(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    Result<std::string> held = read_config_file(path);
    out.push_back(held.ok() ? *std::move(held) : held.error().message);
  }
  return out;
}

std::optional<std::string> config_file_of(const std::vector<std::string>& sources) {
  const auto found = std::find_if(sources.begin(), sources.end(), is_config);
  return found == sources.end() ? std::nullopt : std::optional(*found);
}

Result<Config> config_with_text(const std::vector<std::string>& sources, const std::string& text,
                                const Environment& environment) {
  Config config;
  std::vector<collections::CollectionSpec> named;  // By the command line.
  std::vector<git::RepositorySpec> repositories;   // By the command line.
  std::vector<databases::DatabaseSpec> found;      // By the command line.
  bool configured = false;
  for (const std::string& source : sources) {
    if (!is_config(source)) {
      std::vector<databases::DatabaseSpec> files = databases_of_source(source);
      std::error_code reason;
      const bool is_database = !files.empty() && !std::filesystem::is_directory(source, reason);
      for (databases::DatabaseSpec& file : files) found.push_back(std::move(file));
      if (is_database) continue;
      SLUICE_TRY(collections::CollectionSpec collection, collection_of_source(source));
      named.push_back(std::move(collection));
      if (std::optional<git::RepositorySpec> repository = repository_of_source(source))
        repositories.push_back(*std::move(repository));
      continue;
    }
    if (std::exchange(configured, true))
      return invalid_input("more than one configuration file").with_code("usage");
    SLUICE_TRY(config, parse_config(text, source, environment));
  }
  // A client that started the original record server named its folder so, and nothing else.
  if (const std::optional<std::string> folder = sources.empty() ? environment("DATA_DIR") : std::nullopt;
      folder && !folder->empty()) {
    config.records = RecordsConfig{.path = *folder, .exchange = {}, .writable = true, .retention = {}};
  }
  config.collections.insert(config.collections.end(), named.begin(), named.end());
  make_names_unique(config.collections);
  for (databases::DatabaseSpec& database : found) add_database(std::move(database), config.databases);
  for (git::RepositorySpec& repository : repositories) add_repository(std::move(repository), config.git);
  return config;
}

Result<Config> load_config(const std::vector<std::string>& sources, const Environment& environment) {
  std::string text;
  if (const std::optional<std::string> file = config_file_of(sources)) {
    SLUICE_TRY(text, read_config_file(*file));
  }
  return config_with_text(sources, text, environment);
}

}  // namespace sluice::config
