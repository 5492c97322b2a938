#include <algorithm>
#include <string>
#include <utility>

#include <sqlite3.h>

#include "sluice/base/mutex.h"
#include "sluice/base/random.h"
#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/database.h"
#include "sluice/engine/sqlite.h"
#include "sluice/engine/type_memory.h"

#include "layout.h"
#include "rows.h"
#include "session.h"

namespace sluice::engine {

namespace sqlite {

namespace {

class SqliteDatabase final : public Database {
 public:
  explicit SqliteDatabase(const SqliteOptions& options)
      : options_(options), pool_(std::max<std::size_t>(1, options.connections_max)) {}

  Dialect dialect() const override { return Dialect::kSqlite; }

  Result<std::vector<TableSummary>> tables(const RunLimits& limits) override {
    SLUICE_TRY(const Lease lease, take(limits));
    const Session::Watch watch(*lease.item, limits);
    return list_tables(*lease.item);
  }

  Result<TableLayout> describe(const TableName& table, const RunLimits& limits) override {
    SLUICE_TRY(const Lease lease, take(limits));
    return describe_table(*lease.item, memory_, table, limits);
  }

  Result<std::unique_ptr<Rows>> query(const Select& select, const RunLimits& limits,
                                      std::shared_ptr<Reservation> reservation) override {
    SLUICE_TRY(Lease lease, take(limits, std::static_pointer_cast<Group>(reservation)));
    return start_rows(std::move(lease), memory_, select, limits);
  }

  // Sessions are cheap: a statement that reads more tables than there are gets more while nobody else has
  // any.
  Result<std::shared_ptr<Reservation>> reserve(std::size_t reads, const RunLimits& limits) override {
    SLUICE_TRY(std::shared_ptr<Group> group, pool_.reserve(reads, limits));
    return std::shared_ptr<Reservation>(std::move(group));
  }

  std::shared_ptr<Reservation> try_reserve(std::size_t reads) override { return pool_.try_reserve(reads); }

  Result<std::vector<Field>> columns(const Statement& statement, const RunLimits& limits) override {
    SLUICE_TRY(const Lease lease, take(limits));
    const Session::Watch watch(*lease.item, limits);
    SLUICE_TRY(const Prepared prepared, lease.item->prepare(statement, Author::kCaller));
    SLUICE_TRY(const bool has_row, lease.item->step(prepared.get()));
    std::vector<Field> out;
    for (int i = 0; i < sqlite3_column_count(prepared.get()); ++i) {
      const char* name = sqlite3_column_name(prepared.get(), i);
      const int stored = has_row ? sqlite3_column_type(prepared.get(), i) : SQLITE_TEXT;
      const TypeId id = stored == SQLITE_INTEGER ? TypeId::kInt64
                        : stored == SQLITE_FLOAT ? TypeId::kDouble
                        : stored == SQLITE_BLOB  ? TypeId::kBlob
                                                 : TypeId::kText;
      out.push_back({.name = name == nullptr ? "" : name, .type = {.id = id}});
    }
    return out;
  }

  Result<PlanGuess> explain(const Statement& /*statement*/, const RunLimits& /*limits*/) override {
    return unsupported("SQLite does not guess how many rows a statement yields");
  }

  Result<std::string> version(const RunLimits& limits) override {
    const MutexLock lock(version_mutex_);
    SLUICE_TRY(const FileIdentity identity, identify(options_.path));
    if (!version_session_ || version_session_->identity() != identity) {
      version_session_.reset();
      SLUICE_TRY(version_session_, Session::open(options_));
      ++versions_opened_;
    }
    const Session::Watch watch(*version_session_, limits);
    SLUICE_TRY(const std::int64_t data, version_number("PRAGMA data_version"));
    SLUICE_TRY(const std::int64_t schema, version_number("PRAGMA schema_version"));
    return std::to_string(run_) + "-" + std::to_string(versions_opened_) + "-" + std::to_string(schema) +
           "-" + std::to_string(data);
  }

  Result<DatabaseHealth> check(const RunLimits& limits) override {
    SLUICE_TRY(const Lease lease, take(limits));
    const Session::Watch watch(*lease.item, limits);
    // Opening reads nothing yet; this does.
    SLUICE_TRY(const Prepared prepared,
               lease.item->prepare({"SELECT count(*) FROM sqlite_schema", {}}, Author::kProgram));
    SLUICE_TRY([[maybe_unused]] const bool has_row, lease.item->step(prepared.get()));
    return DatabaseHealth{.product = std::string("SQLite ") + sqlite3_libversion(),
                          .role = {},
                          .read_only = true,
                          .powers = {}};
  }

 private:
  using Group = BoundedPool<Session>::Group;

  // A session on the file that is there now: it may have been replaced.
  Result<Lease> take(const RunLimits& limits, std::shared_ptr<Group> group = nullptr) {
    SLUICE_TRY(Lease lease, pool_.take(limits, std::move(group)));
    SLUICE_TRY(const FileIdentity identity, identify(options_.path));
    if (lease.item && lease.item->identity() != identity) lease.item.reset();
    if (!lease.item) {
      SLUICE_TRY(lease.item, Session::open(options_));
    }
    return lease;
  }

  Result<std::int64_t> version_number(const char* pragma) SLUICE_REQUIRES(version_mutex_) {
    SLUICE_TRY(const Prepared prepared, version_session_->prepare({pragma, {}}, Author::kProgram));
    SLUICE_TRY([[maybe_unused]] const bool has_row, version_session_->step(prepared.get()));
    return sqlite3_column_int64(prepared.get(), 0);
  }

  const SqliteOptions options_;
  TypeMemory memory_;
  BoundedPool<Session> pool_;

  // Versions of different runs must differ: what SQLite counts, it counts for one connection.
  const std::uint64_t run_ = random_number();
  Mutex version_mutex_;
  std::unique_ptr<Session> version_session_ SLUICE_GUARDED_BY(version_mutex_);
  std::uint64_t versions_opened_ SLUICE_GUARDED_BY(version_mutex_) = 0;
};

}  // namespace

}  // namespace sqlite

Result<std::unique_ptr<Database>> open_sqlite(const SqliteOptions& options) {
  // Any other text may be a URI to SQLite, with parameters of its own.
  if (!options.path.starts_with('/') || options.path.find('\0') != std::string::npos) {
    return internal_error("open database: its path is not absolute");
  }
  return std::unique_ptr<Database>(std::make_unique<sqlite::SqliteDatabase>(options));
}

}  // namespace sluice::engine
