#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sluice/base/mutex.h"
#include "sluice/databases/databases.h"

namespace sluice::databases {

// One database, what is known of its tables, and who wants to hear that it is not so any more. Any thread.
class DatabaseConnection {
 public:
  DatabaseConnection(DatabaseSpec spec, std::unique_ptr<engine::Database> database)
      : spec_(std::move(spec)), database_(std::move(database)) {}

  const std::string& name() const { return spec_.name; }
  const DatabaseSpec& spec() const { return spec_; }
  engine::Database& database() const { return *database_; }
  bool is_sqlite() const { return database_->dialect() == engine::Dialect::kSqlite; }

  // Those that are served, as they are now.
  Result<std::vector<engine::TableSummary>> tables(const engine::RunLimits& limits) const;
  // Looks at the database. True where its tables or its data are not what they were: told once.
  bool look(const engine::RunLimits& limits);

  struct Known {
    std::vector<engine::TableSummary> tables;
    std::string version;
    std::string error;  // Why nothing is known.
  };
  Known known() const;
  bool is_away() const;  // It did not answer when it was last looked at.

  // A column has other values than was thought, or the data has changed: what is known is out of date.
  void outdate();
  // What has to be read before tables are described again, because a value refuted the type of its column.
  using Look = std::function<void(engine::Database&, const engine::RunLimits&)>;
  void look_later(Look look);
  void look_now(const engine::RunLimits& limits);
  void on_outdated(std::function<void()> listener) { listener_ = std::move(listener); }
  // Part of each dataset's version.
  std::uint64_t edition() const { return edition_.load(std::memory_order_acquire); }

 private:
  const DatabaseSpec spec_;
  const std::unique_ptr<engine::Database> database_;
  std::function<void()> listener_;  // Set before any other thread knows of this.
  std::atomic<std::uint64_t> edition_ = 0;
  mutable Mutex mutex_;
  Known known_ SLUICE_GUARDED_BY(mutex_);
  std::vector<Look> looks_ SLUICE_GUARDED_BY(mutex_);
};

}  // namespace sluice::databases
