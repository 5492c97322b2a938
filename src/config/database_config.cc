#include "database_config.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sluice/base/text.h"
#include "sluice/engine/postgres.h"
#include "sluice/fs/root.h"

#include "config_path.h"
#include "reserved_names.h"

namespace sluice::config {

namespace {

using collections::CollectionSpec;
using databases::DatabaseSpec;

constexpr std::string_view kSqlite = "sqlite:";
constexpr std::string_view kDuckdb = "duckdb:";
constexpr std::size_t kDatabaseNameBytesMax = 64;
constexpr std::size_t kDatabasesOfSourceMax = 32;  // Each holds connections.

bool is_database_name(std::string_view name) {
  return !name.empty() && name.size() <= kDatabaseNameBytesMax && name.find('/') == std::string_view::npos &&
         encode_controls(name) == name && is_valid_utf8(name);
}

Status read_powerful_roles(YamlMap& section, engine::PostgresOptions& options) {
  SLUICE_TRY(const std::optional<std::string> roles, section.text("roles"));
  if (!roles || *roles == "refuse") return {};
  if (*roles != "warn" && *roles != "allow") return section.error("roles", "must be refuse, warn or allow");
  options.powerful_roles = *roles == "warn" ? engine::PowerfulRoles::kWarn : engine::PowerfulRoles::kAllow;
  return {};
}

// A section whose url is duckdb:FILE; nullopt if it is of another kind.
Result<std::optional<CollectionSpec>> read_duckdb_file(YamlMap& section, const std::string& file) {
  SLUICE_TRY(const std::string url, section.required_text("url"));
  if (!url.starts_with(kDuckdb)) return std::optional<CollectionSpec>();
  CollectionSpec spec;
  SLUICE_TRY(spec.name, section.required_text("name"));
  if (!is_database_name(spec.name)) return section.error("name", "must be a name without a slash");
  std::error_code ignored;
  const std::filesystem::path path =
      std::filesystem::absolute(path_from(file, url.substr(kDuckdb.size())), ignored).lexically_normal();
  if (to_lower_ascii(path.extension().string()) != ".duckdb")
    return section.error("url", "must name a file that ends in .duckdb: duckdb:warehouse.duckdb");
  spec.folder = path.parent_path().string();
  spec.file = path.filename().string();
  spec.description = "Tables of a DuckDB file";
  SLUICE_CHECK(section.finish());
  return std::optional(std::move(spec));
}

Result<DatabaseSpec> read_database(YamlMap& section, const std::string& file) {
  DatabaseSpec spec;
  SLUICE_TRY(spec.name, section.required_text("name"));
  if (!is_database_name(spec.name)) return section.error("name", "must be a name without a slash");
  SLUICE_TRY(const std::optional<std::chrono::milliseconds> ttl, section.duration("ttl"));
  spec.ttl = ttl.value_or(spec.ttl);
  SLUICE_TRY(const std::string url, section.required_text("url"));
  if (url.starts_with(kSqlite)) {
    std::string path = url.substr(kSqlite.size());
    if (path.starts_with("//")) path.erase(0, 2);
    if (path.empty()) return section.error("url", "must name a file: sqlite:shop.db");
    std::error_code ignored;
    spec.sqlite_path = std::filesystem::absolute(path_from(file, path), ignored).lexically_normal().string();
    SLUICE_CHECK(section.finish());
    return spec;
  }
  if (!url.starts_with("postgres://") && !url.starts_with("postgresql://"))
    return section.error("url", "must begin with postgres://, sqlite: or duckdb:");
  spec.postgres.url = url;
  SLUICE_CHECK(read_powerful_roles(section, spec.postgres));
  SLUICE_TRY(spec.schemas, section.texts("schemas"));
  // Where the statements of templates find names without a schema.
  spec.postgres.search_path = spec.schemas.empty() ? std::vector<std::string>{"public"} : spec.schemas;
  SLUICE_TRY(const std::optional<std::string> channel, section.text("channel"));
  spec.channel = channel.value_or("");
  SLUICE_TRY(const std::optional<std::uint64_t> connections, section.count("max_connections"));
  constexpr std::uint64_t kConnectionsMax = 100;
  if (connections && (*connections == 0 || *connections > kConnectionsMax))
    return section.error("max_connections", fmt::format("must be 1 to {}", kConnectionsMax));
  if (connections) spec.postgres.connections_max = *connections;
  SLUICE_CHECK(section.finish());
  return spec;
}

bool is_sqlite_name(const std::filesystem::path& file) {
  const std::string ending = to_lower_ascii(file.extension().string());
  return ending == ".db" || ending == ".sqlite" || ending == ".sqlite3";
}

bool is_sqlite_file(const fs::Root& folder, const std::string& name) {
  constexpr std::string_view kBeginning("SQLite format 3\0", 16);
  const Result<fs::File> file = folder.open_beneath(name);
  if (!file.ok()) return false;
  const Result<std::string> beginning = file->read_at(0, kBeginning.size());
  return beginning.ok() && *beginning == kBeginning;
}

}  // namespace

std::vector<DatabaseSpec> databases_of_source(const std::string& path) {
  std::error_code reason;
  const std::filesystem::path found = std::filesystem::canonical(path, reason);
  if (reason) return {};
  const bool is_folder = std::filesystem::is_directory(found, reason);
  const std::filesystem::path parent = is_folder ? found : found.parent_path();
  const Result<fs::Root> folder = fs::Root::open(parent.string());
  if (!folder.ok()) return {};
  std::vector<std::string> names{found.filename().string()};
  if (is_folder) {
    names.clear();
    const Result<fs::Listing> listing = folder->list("");
    for (std::size_t i = 0; listing.ok() && i < listing->entries.size(); ++i) {
      const fs::Entry& entry = listing->entries[i];
      if (entry.kind == fs::EntryKind::kFile && !entry.is_link) names.push_back(entry.name);
    }
  }
  std::vector<DatabaseSpec> out;
  for (const std::string& name : names) {
    if (!is_sqlite_name(name) || !is_sqlite_file(*folder, name) || out.size() == kDatabasesOfSourceMax)
      continue;
    DatabaseSpec spec{.name = std::filesystem::path(name).stem().string(),
                      .sqlite_path = (parent / name).string()};
    if (!is_database_name(spec.name)) spec.name = "database";
    out.push_back(std::move(spec));
  }
  return out;
}

void add_database(DatabaseSpec database, std::vector<DatabaseSpec>& databases) {
  const std::string name = database.name;
  const auto is_taken = [&] {
    return is_reserved_name(database.name) ||
           std::any_of(databases.begin(), databases.end(),
                       [&](const DatabaseSpec& other) { return other.name == database.name; });
  };
  for (std::size_t i = 2; is_taken(); ++i) database.name = fmt::format("{}-{}", name, i);
  databases.push_back(std::move(database));
}

Result<DatabaseSections> read_databases(YamlMap& config, const std::string& name) {
  SLUICE_TRY(std::vector<YamlMap> sections, config.maps("databases"));
  DatabaseSections out;
  std::set<std::string> taken;
  for (YamlMap& section : sections) {
    SLUICE_TRY(const std::optional<CollectionSpec> file, read_duckdb_file(section, name));
    DatabaseSpec spec;
    if (!file) {
      SLUICE_TRY(spec, read_database(section, name));
    }
    const std::string& called = file ? file->name : spec.name;
    if (is_reserved_name(called)) return section.reserved_name(called);
    if (!taken.insert(called).second)
      return section.error("name", "another database is called " + excerpt(called));
    if (file) {
      out.duckdb_files.push_back(*file);
    } else {
      out.databases.push_back(std::move(spec));
    }
  }
  return out;
}

}  // namespace sluice::config
