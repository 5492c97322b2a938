#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/background_thread.h"
#include "sluice/base/mutex.h"
#include "sluice/base/result.h"
#include "sluice/engine/database.h"
#include "sluice/engine/postgres.h"
#include "sluice/engine/source.h"
#include "sluice/query/registry.h"

namespace sluice::databases {

// What databases compute themselves. The rest is computed by the engine over the rows that they send.
enum class PushDown : std::uint8_t {
  kOff,      // Nothing: they send whole tables.
  kFilters,  // Filters.
  kOn,       // All that they compute as the engine does.
};

struct DatabaseSpec {
  std::string name;
  std::string sqlite_path;           // Absolute. Empty: PostgreSQL.
  engine::PostgresOptions postgres;  // Its url may hold a password.
  std::vector<std::string> schemas;  // Of PostgreSQL; empty: all that the role can read.
  std::string channel;               // PostgreSQL tells of changes by NOTIFY on it. Empty: it does not.
  PushDown push_down = PushDown::kOn;
  std::chrono::milliseconds ttl{60'000};  // For how long clients may keep what they have read.
};

inline constexpr std::string_view kCollection = "databases";
inline constexpr std::string_view kScheme = "db";

class DatabaseConnection;  // One of the databases.

// Databases whose tables and views are datasets of the registry, followed as they change. Any thread.
class Databases {
 public:
  // A database need not be there yet. Fails where a url is none.
  static Result<std::unique_ptr<Databases>> open(const std::vector<DatabaseSpec>& specs,
                                                 query::Registry& registry,
                                                 std::shared_ptr<engine::Sources> sources);
  Databases(const Databases&) = delete;
  Databases& operator=(const Databases&) = delete;
  ~Databases();

  // Looks at all of them for the first time, and follows them from then on.
  void begin();

  struct Health {
    std::string name;
    Result<engine::DatabaseHealth> health;
    std::size_t tables = 0;
  };
  // Asks each, one after the other.
  std::vector<Health> check(const engine::RunLimits& limits) const;
  // The rows of a SELECT that the operator wrote, as JSON objects. Parameters are bound as text. At most
  // `rows_max` rows and `bytes_max` bytes: beyond, limit_reached.
  struct Ask {
    std::string database;
    std::string sql;  // $1, $2, … stand for the parameters.
    std::vector<std::string> parameters;
    std::uint64_t rows_max = 0;
    std::uint64_t bytes_max = 0;
  };
  Result<std::vector<std::string>> ask(const Ask& ask, const engine::RunLimits& limits) const;
  bool has(std::string_view name) const;
  bool has_one() const { return connected_.size() == 1; }

 private:
  Databases(query::Registry& registry, std::shared_ptr<engine::Sources> sources);
  void publish();
  void follow(const std::stop_token& stop);
  bool is_any_away() const;

  query::Registry& registry_;
  const std::shared_ptr<engine::Sources> sources_;  // Shared with the engine.
  std::shared_ptr<const query::Collection> collection_;
  std::vector<std::shared_ptr<DatabaseConnection>> connected_;  // Shared with their datasets.
  std::vector<std::unique_ptr<engine::Listener>> listeners_;
  Mutex mutex_;
  CondVar woken_;
  bool has_news_ SLUICE_GUARDED_BY(mutex_) = false;
  BackgroundThread thread_;  // Last: it ends before what it reads goes.
};

}  // namespace sluice::databases
