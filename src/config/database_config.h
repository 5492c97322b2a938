#pragma once

#include <string>
#include <vector>

#include "sluice/base/result.h"
#include "sluice/collections/collection_spec.h"
#include "sluice/databases/databases.h"

#include "yaml_map.h"

namespace sluice::config {

struct DatabaseSections {
  std::vector<databases::DatabaseSpec> databases;
  std::vector<collections::CollectionSpec> duckdb_files;  // Whose tables are read as those of served folders.
};
// The `databases:` section of the configuration that is called `name`.
Result<DatabaseSections> read_databases(YamlMap& config, const std::string& name);

// SQLite files that the command line names: `path` itself, or those right in it where it is a folder, known
// by their ending and by how they begin.
std::vector<databases::DatabaseSpec> databases_of_source(const std::string& path);

// With another name, where a database has this one already.
void add_database(databases::DatabaseSpec database, std::vector<databases::DatabaseSpec>& databases);

}  // namespace sluice::config
