#include "sandbox.h"

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "errors.h"

namespace sluice::engine::duck {

namespace {

struct Setting {
  std::string_view name;
  std::string_view value;
};

// Given when the database opens.
constexpr std::array kFixed = {
    Setting{"autoload_known_extensions", "false"},
    Setting{"autoinstall_known_extensions", "false"},
    Setting{"allow_community_extensions", "false"},
    Setting{"allow_unsigned_extensions", "false"},
    Setting{"allow_persistent_secrets", "false"},
    // A file is known by a descriptor, and the next file may have the same number.
    Setting{"enable_external_file_cache", "false"},
    Setting{"preserve_insertion_order", "true"},
    // In DuckDB 1.5.6 this rewrite of "first row of each group" fails with an internal error, which
    // invalidates the whole instance, when the rows are also filtered by a range or are known to be unique.
    Setting{"disabled_optimizers", "top_n_window_elimination"},
};

// What must be true once the sandbox is locked.
constexpr std::array kLocked = {
    Setting{"enable_external_access", "false"},     Setting{"lock_configuration", "true"},
    Setting{"autoload_known_extensions", "false"},  Setting{"autoinstall_known_extensions", "false"},
    Setting{"allow_community_extensions", "false"}, Setting{"allow_unsigned_extensions", "false"},
    Setting{"allow_persistent_secrets", "false"},   Setting{"enable_external_file_cache", "false"},
};

Status run(duckdb_connection connection, const std::string& sql) {
  QueryResult result;
  if (duckdb_query(connection, sql.c_str(), result.get()) == DuckDBError) {
    return error_of(duckdb_result_error(result.get()));
  }
  return {};
}

Result<std::string> read_text(duckdb_connection connection, const std::string& sql) {
  QueryResult result;
  if (duckdb_query(connection, sql.c_str(), result.get()) == DuckDBError) {
    return error_of(duckdb_result_error(result.get()));
  }
  const Text text(duckdb_value_varchar(result.get(), 0, 0));
  return std::string(text ? text.get() : "");
}

std::string folder_list(const std::vector<std::string>& folders) {
  std::string out = "[";
  for (const std::string& folder : folders) {
    if (out.size() > 1) out += ", ";
    out += quote_text(folder.ends_with('/') ? folder : folder + '/');
  }
  return out + "]";
}

Status must_fail(duckdb_connection connection, const std::string& sql) {
  QueryResult result;
  if (duckdb_query(connection, sql.c_str(), result.get()) == DuckDBError) return {};
  return internal_error("lock the engine's sandbox: it still allows " + sql);
}

std::string without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

// The engine's message has the path of the file and the process that has it, which are nobody's business.
Error attach_error(std::string_view message) {
  const auto says = [&](std::string_view text) { return message.find(text) != std::string_view::npos; };
  if (says("Could not set lock") || says("onflicting lock")) {
    return unavailable("open DuckDB file: another program has it open for writing")
        .with_code("source_busy")
        .with_hint("Ask again when that program has closed the file.");
  }
  if (says("version number") || says("storage version") || says("newer version") || says("encrypt")) {
    return unsupported("open DuckDB file: it is encrypted, or of a version that is not supported")
        .with_code("unsupported_file")
        .with_hint(
            "Export its tables as Parquet, or write it with a storage version of DuckDB 1.5 or older.");
  }
  return unavailable("open DuckDB file: it is damaged, or no such file")
      .with_code("unreadable_file")
      .with_hint("Replace the file with a good copy.");
}

// Exactly the given folders, and the scratch folder, which DuckDB adds by itself.
Status check_folders(duckdb_connection connection, const EngineOptions& options) {
  std::set<std::string> allowed{without_slash(options.scratch_folder)};
  for (const std::string& folder : options.folders) allowed.insert(without_slash(folder));
  QueryResult result;
  if (duckdb_query(connection, "SELECT unnest(current_setting('allowed_directories'))", result.get()) ==
      DuckDBError) {
    return error_of(duckdb_result_error(result.get()));
  }
  for (idx_t row = 0; row < duckdb_row_count(result.get()); ++row) {
    const Text text(duckdb_value_varchar(result.get(), 0, row));
    if (text && !allowed.contains(without_slash(text.get()))) {
      return internal_error("lock the engine's sandbox: a folder is allowed that was not given");
    }
  }
  return {};
}

Status read_back(duckdb_connection connection, const EngineOptions& options) {
  for (const Setting& setting : kLocked) {
    const std::string sql = "SELECT CAST(current_setting(" + quote_text(setting.name) + ") AS VARCHAR)";
    SLUICE_TRY(const std::string value, read_text(connection, sql));
    if (value != setting.value) {
      return internal_error("lock the engine's sandbox: " + std::string(setting.name) + " is " + value);
    }
  }
  SLUICE_CHECK(check_folders(connection, options));
  SLUICE_CHECK(must_fail(connection, "SELECT * FROM read_text('/proc/self/status')"));
  SLUICE_CHECK(must_fail(connection, "ATTACH '/proc/self/status' AS foreign_file"));
  return must_fail(connection, "SET threads = 1");
}

}  // namespace

Result<Database> open_database(const EngineOptions& options) {
  SLUICE_CHECK(load_library());
  duckdb_config raw = nullptr;
  if (duckdb_create_config(&raw) == DuckDBError) return internal_error("open engine: no configuration");
  const Config config(raw);
  const auto set = [&config](std::string_view name, const std::string& value) -> Status {
    if (duckdb_set_config(config.get(), std::string(name).c_str(), value.c_str()) == DuckDBError) {
      return internal_error("open engine: cannot set " + std::string(name));
    }
    return {};
  };
  for (const Setting& setting : kFixed) SLUICE_CHECK(set(setting.name, std::string(setting.value)));
  SLUICE_CHECK(set("threads", std::to_string(options.threads)));
  SLUICE_CHECK(set("memory_limit", std::to_string(options.memory_bytes_max) + "B"));
  SLUICE_CHECK(set("temp_directory", options.scratch_folder));
  if (!options.scratch_folder.empty()) {
    SLUICE_CHECK(set("max_temp_directory_size", std::to_string(options.scratch_bytes_max) + "B"));
  }
  duckdb_database database = nullptr;
  char* message = nullptr;
  if (duckdb_open_ext(nullptr, &database, config.get(), &message) == DuckDBError) {
    const Text owned(message);
    return error_of(owned.get());
  }
  return Database(database);
}

Status measure_progress(duckdb_connection connection) {
  SLUICE_CHECK(run(connection, "SET enable_progress_bar = true"));
  return run(connection, "SET enable_progress_bar_print = false");
}

Status attach_file(duckdb_connection connection, const std::string& path) {
  const std::string sql = "ATTACH " + quote_text(path) + " AS file (TYPE duckdb, READ_ONLY)";
  QueryResult result;
  if (duckdb_query(connection, sql.c_str(), result.get()) != DuckDBError) return {};
  const char* text = duckdb_result_error(result.get());
  return attach_error(text == nullptr ? "" : text);
}

Status lock_sandbox(duckdb_connection connection, const EngineOptions& options) {
  SLUICE_CHECK(run(connection, "SET GLOBAL TimeZone = 'UTC'"));
  SLUICE_CHECK(run(connection, "SET GLOBAL allowed_directories = " + folder_list(options.folders)));
  SLUICE_CHECK(run(connection, "SET GLOBAL enable_external_access = false"));
  SLUICE_CHECK(run(connection, "SET GLOBAL lock_configuration = true"));
  return read_back(connection, options);
}

}  // namespace sluice::engine::duck
