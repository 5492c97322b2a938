#include <algorithm>
#include <atomic>
#include <utility>

#include "sluice/base/limits.h"
#include "sluice/base/mutex.h"
#include "sluice/engine/duckdb.h"
#include "sluice/engine/engine.h"

#include "errors.h"
#include "functions.h"
#include "handles.h"
#include "interrupter.h"
#include "outside.h"
#include "sandbox.h"
#include "types.h"
#include "value_set.h"
#include "words.h"

namespace sluice::engine {

namespace duck {

namespace {

constexpr std::size_t kIdleConnectionsMax = 16;

// Connections are reused: making one costs as much as a small query.
class ConnectionPool {
 public:
  explicit ConnectionPool(duckdb_database database) : database_(database) {}

  Result<Connection> take() {
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        Connection connection = std::move(idle_.back());
        idle_.pop_back();
        return connection;
      }
    }
    duckdb_connection raw = nullptr;
    if (duckdb_connect(database_, &raw) == DuckDBError)
      return internal_error("connect to the engine").with_code("engine_failed");
    return Connection(raw);
  }

  void give_back(Connection connection) {
    const MutexLock lock(mutex_);
    if (idle_.size() < kIdleConnectionsMax) idle_.push_back(std::move(connection));
  }

  // Every error of a statement passes here.
  Error note(Error error) {
    if (is_breaking(error)) is_broken_ = true;
    return error;
  }
  bool is_broken() const { return is_broken_; }

 private:
  const duckdb_database database_;
  std::atomic<bool> is_broken_{false};
  Mutex mutex_;
  std::vector<Connection> idle_ SLUICE_GUARDED_BY(mutex_);
};

// A connection that goes back to its pool.
class Lease {
 public:
  static Result<Lease> take(ConnectionPool& pool) {
    Result<Connection> connection = pool.take();
    if (!connection.ok()) return pool.note(std::move(connection).error());
    return Lease(pool, *std::move(connection));
  }
  Lease(Lease&&) = default;
  Lease& operator=(Lease&&) = delete;
  ~Lease() {
    if (connection_) pool_->give_back(std::move(connection_));
  }
  duckdb_connection get() const { return connection_.get(); }

 private:
  Lease(ConnectionPool& pool, Connection connection) : pool_(&pool), connection_(std::move(connection)) {}

  ConnectionPool* pool_;
  Connection connection_;
};

Value list_of_text(const std::vector<std::string>& texts) {
  std::vector<Value> owned;
  std::vector<duckdb_value> items;
  owned.reserve(texts.size());
  items.reserve(texts.size());
  for (const std::string& text : texts) {
    owned.emplace_back(duckdb_create_varchar_length(text.data(), text.size()));
    items.push_back(owned.back().get());
  }
  const LogicalType type(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  return Value(duckdb_create_list_value(type.get(), items.data(), items.size()));
}

struct Bind {
  duckdb_prepared_statement statement;
  idx_t index;

  duckdb_state operator()(std::monostate) const { return duckdb_bind_null(statement, index); }
  duckdb_state operator()(bool value) const { return duckdb_bind_boolean(statement, index, value); }
  duckdb_state operator()(std::int64_t value) const { return duckdb_bind_int64(statement, index, value); }
  duckdb_state operator()(double value) const { return duckdb_bind_double(statement, index, value); }
  duckdb_state operator()(const std::string& text) const {
    return duckdb_bind_varchar_length(statement, index, text.data(), text.size());
  }
  duckdb_state operator()(const std::vector<std::string>& texts) const {
    const Value list = list_of_text(texts);
    return duckdb_bind_value(statement, index, list.get());
  }
};

Result<Prepared> prepare(duckdb_connection connection, const Statement& statement) {
  // The C interface reads up to the first NUL; what stands behind it would be ignored in silence.
  if (statement.sql.find('\0') != std::string::npos) {
    return invalid_input("a statement cannot hold the character U+0000").with_code("invalid_query");
  }
  duckdb_prepared_statement raw = nullptr;
  const duckdb_state state = duckdb_prepare(connection, statement.sql.c_str(), &raw);
  Prepared prepared(raw);
  if (state == DuckDBError) return error_of(duckdb_prepare_error(raw));
  for (std::size_t i = 0; i < statement.parameters.size(); ++i) {
    if (std::visit(Bind{raw, i + 1}, statement.parameters[i]) == DuckDBError) {
      return error_of(duckdb_prepare_error(raw));
    }
  }
  return prepared;
}

// An EXPLAIN names what it would read, and reads nothing.
Status reserve(OutsideReads& reads, const Prepared& prepared) {
  if (duckdb_prepared_statement_type(prepared.get()) == DUCKDB_STATEMENT_TYPE_EXPLAIN) return {};
  return reads.reserve();
}

Error explain(Error error, const Interrupter::Watch& watch, const Sources* sources) {
  switch (watch.cause()) {
    case Interrupter::Cause::kNone:
      if (sources != nullptr) return error_from_outside(*sources, error.message).value_or(std::move(error));
      return error;
    case Interrupter::Cause::kStopped:
      return cancelled();
    case Interrupter::Cause::kMemory:
      return make_error(ErrorKind::kLimitReached, "the statement took more memory than the server has for it")
          .with_code("memory_limit")
          .with_hint("Ask for fewer columns, groups or medians, or add a filter.");
    case Interrupter::Cause::kDeadline:
      return deadline_exceeded().with_code("time_limit").with_hint("Add a filter, or ask for an aggregate.");
  }
  return error;
}

std::vector<Field> columns_of(duckdb_result* result) {
  std::vector<Field> columns;
  for (idx_t i = 0; i < duckdb_column_count(result); ++i) {
    const LogicalType type(duckdb_column_logical_type(result, i));
    columns.push_back(Field{.name = duckdb_column_name(result, i), .type = type_of(type.get())});
  }
  return columns;
}

// What the statements of an engine share.
struct Shared {
  ConnectionPool& pool;
  Interrupter& interrupter;
  BufferSpace& space;
  const Sources* sources;  // Null: statements read nothing from outside.
};

class DuckRows final : public Rows {
 public:
  static Result<std::unique_ptr<Rows>> start(const Shared& shared, const Statement& statement,
                                             const RunLimits& limits) {
    SLUICE_TRY(Lease lease, Lease::take(shared.pool));
    std::unique_ptr<DuckRows> rows(new DuckRows(shared, std::move(lease), limits));
    if (Status status = rows->begin(statement); !status.ok())
      return explain(shared.pool.note(status.error()), *rows->watch_, shared.sources);
    rows->watch_->leave();
    return std::unique_ptr<Rows>(std::move(rows));
  }

  ~DuckRows() override { watch_->enter(); }  // The engine ends the statement while the members die.
  DuckRows(const DuckRows&) = delete;
  DuckRows& operator=(const DuckRows&) = delete;

  const std::vector<Field>& columns() const override { return columns_; }

  Result<const Batch*> next() override {
    while (true) {
      // A peer that was told "cancelled" must not receive rows afterwards.
      if (watch_->cause() != Interrupter::Cause::kNone) return explain(cancelled(), *watch_, nullptr);
      chunk_.reset(fetch());
      if (!chunk_) {
        const char* message = duckdb_result_error(result_->get());
        if (message != nullptr && *message != '\0')
          return explain(pool_.note(error_of(message)), *watch_, sources_);
        return nullptr;
      }
      batch_.rows = duckdb_data_chunk_get_size(chunk_.get());
      if (batch_.rows > 0) break;
    }
    batch_.columns.clear();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      batch_.columns.push_back(column_of(duckdb_data_chunk_get_vector(chunk_.get(), i), columns_[i].type));
    }
    return &batch_;
  }

 private:
  DuckRows(const Shared& shared, Lease lease, const RunLimits& limits)
      : pool_(shared.pool),
        lease_(std::move(lease)),
        sources_(shared.sources),
        watch_(std::make_unique<Interrupter::Watch>(shared.interrupter, lease_.get(), limits)),
        reads_(limits, shared.space) {}

  duckdb_data_chunk fetch() {
    watch_->enter();
    duckdb_data_chunk chunk = duckdb_fetch_chunk(*result_->get());
    watch_->leave();
    return chunk;
  }

  Status begin(const Statement& statement) {
    const OutsideReads::Scope scope(reads_.get());
    SLUICE_TRY(prepared_, prepare(lease_.get(), statement));
    SLUICE_CHECK(reserve(*reads_.get(), prepared_));
    duckdb_pending_result raw = nullptr;
    const duckdb_state state = duckdb_pending_prepared_streaming(prepared_.get(), &raw);
    const Pending pending(raw);
    if (state == DuckDBError) return error_of(duckdb_pending_error(raw));
    result_ = std::make_unique<QueryResult>();
    if (duckdb_execute_pending(raw, result_->get()) == DuckDBError) {
      return error_of(duckdb_result_error(result_->get()));
    }
    columns_ = columns_of(result_->get());
    return {};
  }

  ConnectionPool& pool_;
  Lease lease_;  // First: everything below ends before the connection goes back.
  const Sources* sources_;
  std::unique_ptr<Interrupter::Watch> watch_;
  const StatementReads reads_;
  Prepared prepared_;
  std::unique_ptr<QueryResult> result_;
  std::vector<Field> columns_;
  Chunk chunk_;
  Batch batch_;
};

BufferOptions buffer_options(const EngineOptions& options) {
  BufferOptions out;
  out.folder = options.scratch_folder;
  out.bytes_max =
      out.folder.empty() ? std::min(out.bytes_max, options.memory_bytes_max / 4) : options.scratch_bytes_max;
  return out;
}

class DuckEngine final : public Engine {
 public:
  DuckEngine(Database database, const EngineOptions& options)
      : sources_(options.sources),
        memory_bytes_max_(options.memory_bytes_max),
        transfer_bytes_max_(options.transfer_bytes_max),
        space_(buffer_options(options)),
        database_(std::move(database)),
        interrupter_({.stuck_after = options.stuck_after, .memory = {.bytes_max = options.memory_bytes_max}}),
        pool_(database_.get()) {}

  Status lock(const EngineOptions& options) {
    SLUICE_TRY(const Lease lease, Lease::take(pool_));
    for (const TextFunction& function : options.functions) {
      SLUICE_CHECK(register_function(lease.get(), function));
    }
    for (const TextPairFunction& function : options.pair_functions) {
      SLUICE_CHECK(register_function(lease.get(), function));
    }
    SLUICE_CHECK(register_value_set(lease.get()));
    SLUICE_CHECK(register_words(lease.get()));
    if (sources_) SLUICE_CHECK(register_outside(lease.get(), sources_));
    if (options.reports_progress) SLUICE_CHECK(measure_progress(lease.get()));
    return lock_sandbox(lease.get(), options);
  }

  // Binding and planning can take as long as running.
  Result<Description> describe(const Statement& statement, const RunLimits& limits) override {
    SLUICE_TRY(const Lease lease, Lease::take(pool_));
    RunLimits bounded = limits;
    bounded.deadline = std::min(bounded.deadline, system_clock().now() + kRequestTimeout);
    const Interrupter::Watch watch(interrupter_, lease.get(), bounded);
    const Result<Prepared> result = prepare(lease.get(), statement);
    if (!result.ok()) return explain(pool_.note(result.error()), watch, sources_.get());
    const Prepared& prepared = *result;
    Description description;
    description.is_select = duckdb_prepared_statement_type(prepared.get()) == DUCKDB_STATEMENT_TYPE_SELECT;
    const idx_t count = duckdb_prepared_statement_column_count(prepared.get());
    for (idx_t i = 0; i < count; ++i) {
      // The name is the caller's to free, although the interface calls it const.
      const Text name(const_cast<char*>(  // NOLINT(cppcoreguidelines-pro-type-const-cast)
          duckdb_prepared_statement_column_name(prepared.get(), i)));
      const LogicalType type(duckdb_prepared_statement_column_logical_type(prepared.get(), i));
      description.columns.push_back(Field{.name = name.get(), .type = type_of(type.get())});
    }
    return description;
  }

  Result<std::unique_ptr<Rows>> query(const Statement& statement, const RunLimits& limits) override {
    return DuckRows::start(
        {.pool = pool_, .interrupter = interrupter_, .space = space_, .sources = sources_.get()}, statement,
        bounded(limits));
  }

  Result<std::uint64_t> execute(const Statement& statement, const RunLimits& limits) override {
    SLUICE_TRY(const Lease lease, Lease::take(pool_));
    const Interrupter::Watch watch(interrupter_, lease.get(), limits);
    const StatementReads reads(bounded(limits), space_);
    const OutsideReads::Scope scope(reads.get());
    Result<Prepared> prepared = prepare(lease.get(), statement);
    if (!prepared.ok()) return explain(pool_.note(std::move(prepared).error()), watch, sources_.get());
    SLUICE_CHECK(reserve(*reads.get(), *prepared));
    QueryResult result;
    if (duckdb_execute_prepared(prepared->get(), result.get()) == DuckDBError) {
      return explain(pool_.note(error_of(duckdb_result_error(result.get()))), watch, sources_.get());
    }
    return duckdb_rows_changed(result.get());
  }

  bool is_broken() const override { return pool_.is_broken() || interrupter_.is_stuck(); }
  std::uint64_t memory_bytes_max() const override { return memory_bytes_max_; }

 private:
  RunLimits bounded(RunLimits limits) const {
    limits.transfer_bytes_max = std::min(limits.transfer_bytes_max, transfer_bytes_max_);
    return limits;
  }

  const std::shared_ptr<const Sources> sources_;
  const std::uint64_t memory_bytes_max_;
  const std::uint64_t transfer_bytes_max_;
  BufferSpace space_;  // Before the database: what the engine keeps of a statement may hold a buffer.
  Database database_;
  Interrupter interrupter_;
  ConnectionPool pool_;
};

}  // namespace

}  // namespace duck

Result<std::unique_ptr<Engine>> open_duckdb(const EngineOptions& options) {
  SLUICE_TRY(duck::Database database, duck::open_database(options));
  auto engine = std::make_unique<duck::DuckEngine>(std::move(database), options);
  SLUICE_CHECK(engine->lock(options));
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace sluice::engine
