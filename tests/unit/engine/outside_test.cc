// What statements read from outside the engine: the connections that they hold for it, and when.

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sluice/engine/batch_builder.h"
#include "sluice/engine/bounded_pool.h"
#include "sluice/engine/source.h"

#include "testing.h"

namespace sluice::engine {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;

// Connections of a database that has nothing else.
class FakeDatabase final : public Database {
 public:
  using Pool = BoundedPool<int>;

  // A reservation of more than `connections` has one, as in PostgreSQL.
  explicit FakeDatabase(std::size_t connections) : pool_(connections) {}

  Result<std::shared_ptr<Reservation>> reserve(std::size_t reads, const RunLimits& limits) override {
    ++reservations;
    SLUICE_TRY(std::shared_ptr<Pool::Group> group, pool_.reserve(connections_for(reads), limits));
    return std::shared_ptr<Reservation>(std::move(group));
  }
  std::shared_ptr<Reservation> try_reserve(std::size_t reads) override {
    return pool_.try_reserve(connections_for(reads));
  }

  Dialect dialect() const override { return Dialect::kSqlite; }
  Result<std::vector<TableSummary>> tables(const RunLimits&) override { return unsupported("tables"); }
  Result<TableLayout> describe(const TableName&, const RunLimits&) override {
    return unsupported("describe");
  }
  Result<std::unique_ptr<Rows>> query(const Select&, const RunLimits&,
                                      std::shared_ptr<Reservation>) override {
    return unsupported("query");
  }
  Result<std::vector<Field>> columns(const Statement&, const RunLimits&) override {
    return unsupported("columns");
  }
  Result<PlanGuess> explain(const Statement&, const RunLimits&) override { return unsupported("explain"); }
  Result<std::string> version(const RunLimits&) override { return unsupported("version"); }
  Result<DatabaseHealth> check(const RunLimits&) override { return unsupported("check"); }

  Pool& pool() { return pool_; }

  std::atomic<int> reservations = 0;  // That were asked for.
  std::atomic<int> running = 0;       // Reads that run now,
  std::atomic<int> reads_max = 0;     // and the most that ever did.

 private:
  std::size_t connections_for(std::size_t reads_wanted) const {
    return reads_wanted > pool_.items_max() ? 1 : reads_wanted;
  }

  Pool pool_;
};

const std::vector<Field>& number_column() {
  static const std::vector<Field> kColumns = {{.name = "x", .type = Type{.id = TypeId::kInt64}}};
  return kColumns;
}

// The numbers from 1 to 5,000, in several batches, over a connection.
class FakeRows final : public Rows {
 public:
  FakeRows(FakeDatabase& database, FakeDatabase::Pool::Lease lease)
      : database_(database), lease_(std::move(lease)), builder_(number_column()) {
    const int running = ++database.running;
    if (running > database.reads_max) database.reads_max = running;
  }
  FakeRows(const FakeRows&) = delete;
  FakeRows& operator=(const FakeRows&) = delete;
  ~FakeRows() override { --database_.running; }

  const std::vector<Field>& columns() const override { return number_column(); }
  Result<const Batch*> next() override {
    builder_.clear();
    for (; last_ < 5'000 && !builder_.is_full(); builder_.end_row()) builder_.columns()[0].add(++last_);
    return builder_.is_empty() ? nullptr : builder_.finish();
  }

 private:
  FakeDatabase& database_;
  FakeDatabase::Pool::Lease lease_;
  BatchBuilder builder_;
  std::int64_t last_ = 0;
};

class FakeSource final : public Source {
 public:
  explicit FakeSource(FakeDatabase& database) : database_(database) {}

  const std::vector<Field>& columns() const override { return number_column(); }
  Result<std::unique_ptr<Rows>> read(const std::vector<std::size_t>&, const ReadOptions& options) override {
    const auto group = std::static_pointer_cast<FakeDatabase::Pool::Group>(options.reservation);
    if (!group) return internal_error("no connection was reserved");
    deadline = options.limits.deadline;
    SLUICE_TRY(FakeDatabase::Pool::Lease lease, database_.pool().take(options.limits, group));
    return std::unique_ptr<Rows>(std::make_unique<FakeRows>(database_, std::move(lease)));
  }
  Database* database() const override { return &database_; }

  Monotonic deadline{};

 private:
  FakeDatabase& database_;
};

class OutsideReads : public ::testing::Test {
 protected:
  OutsideReads() : engine_(open_engine({.sources = sources_})) {}

  // The text for FROM.
  std::string table(FakeDatabase& database) { return table(std::make_shared<FakeSource>(database)); }
  std::string table(std::shared_ptr<Source> source) {
    offers_.push_back(sources_->offer(std::move(source)));
    return offers_.back().sql;
  }
  Result<std::vector<std::int64_t>> answer(const std::string& sql, std::vector<Parameter> parameters = {},
                                           milliseconds time = std::chrono::seconds(20)) {
    return integers(*engine_, {.sql = sql, .parameters = std::move(parameters)},
                    {.deadline = system_clock().now() + time, .stop = {}});
  }
  static std::vector<std::int64_t> value(const Result<std::vector<std::int64_t>>& result) {
    EXPECT_TRUE(result.ok()) << result.error().message;
    return result.ok() ? *result : std::vector<std::int64_t>();
  }

  std::shared_ptr<Sources> sources_ = std::make_shared<Sources>();
  std::vector<Sources::Offer> offers_;
  std::unique_ptr<Engine> engine_;
};

// The rows of a SELECT on another engine.
class SelectSource final : public Source {
 public:
  SelectSource(Engine& engine, std::string sql)
      : engine_(engine), sql_(std::move(sql)), columns_(engine.describe({.sql = sql_}).value().columns) {}

  const std::vector<Field>& columns() const override { return columns_; }
  Result<std::unique_ptr<Rows>> read(const std::vector<std::size_t>& wanted, const ReadOptions&) override {
    std::string list;
    for (const std::size_t i : wanted)
      list += fmt::format("{}{}", list.empty() ? "" : ", ", quote_name(columns_[i].name));
    return engine_.query({.sql = fmt::format("SELECT {} FROM ({})", list, sql_)}, {});
  }

 private:
  Engine& engine_;
  const std::string sql_;
  const std::vector<Field> columns_;
};

TEST_F(OutsideReads, HaveNestedTypesAsTheSourceHasThem) {
  const std::unique_ptr<Engine> other = open_engine({});
  const std::string sql =
      "SELECT CASE WHEN i % 7 <> 0 THEN {'a': i, 'b': [{'c': 'text ' || i, 'd': NULL}, NULL]} END AS s, "
      "CASE WHEN i % 5 <> 0 THEN MAP {'k' || i: [i], 'l': NULL} END AS m, "
      "CAST(CASE WHEN i % 3 <> 0 THEN [{'e': 'long enough to be elsewhere ' || i}, NULL] END AS STRUCT(e "
      "VARCHAR)[2]) AS f, "
      "CASE WHEN i % 2 <> 0 THEN [[i], [], NULL] END AS l, "
      "make_timestamp_ns(i * 1000 + 1) AS t, i FROM range(5000) r(i)";
  const std::string digest =
      "SELECT sum(hash(i, s::VARCHAR, m::VARCHAR, f::VARCHAR, l::VARCHAR, t::VARCHAR) % 1000003)::BIGINT, ";
  const std::string counts =
      "count(s), count(s.a), count(s.b[1].c), count(m), count(f), count(f[1].e), count(l), count(t) FROM ";
  const auto inside = value(
      integers(*other, {.sql = "SELECT unnest([" + digest.substr(7) + "0::BIGINT]) FROM (" + sql + ")"}, {}));
  const std::string table = this->table(std::make_shared<SelectSource>(*other, sql));
  EXPECT_EQ(value(answer("SELECT unnest([" + digest.substr(7) + "0::BIGINT]) FROM " + table)), inside);
  EXPECT_THAT(value(answer("SELECT unnest([" + counts.substr(0, counts.size() - 6) + "]) FROM " + table)),
              ElementsAre(4285, 4285, 4285, 4000, 3333, 3333, 2500, 5000));
}

constexpr std::int64_t kSum = 5'000 * 5'001 / 2;

std::string sum_over(const std::vector<std::string>& tables) {
  std::string out;
  for (const std::string& table : tables)
    out += (out.empty() ? "SELECT x FROM " : " UNION ALL SELECT x FROM ") + table;
  return "SELECT sum(x)::BIGINT FROM (" + out + ")";
}

TEST_F(OutsideReads, HaveAConnectionEachAndGiveThemBack) {
  FakeDatabase database(3);
  EXPECT_THAT(value(answer(sum_over({table(database), table(database), table(database)}))),
              ElementsAre(3 * kSum));
  EXPECT_EQ(database.reads_max, 3);
  EXPECT_EQ(database.reservations, 1);
  EXPECT_NE(database.try_reserve(3), nullptr);
}

TEST_F(OutsideReads, OfTooManyTablesRunOneAfterTheOther) {
  FakeDatabase database(2);
  std::vector<std::string> tables;
  for (int i = 0; i < 7; ++i) tables.push_back(table(database));
  EXPECT_THAT(value(answer(sum_over(tables))), ElementsAre(7 * kSum));
  EXPECT_EQ(database.reads_max, 1);
  EXPECT_NE(database.try_reserve(2), nullptr);
}

// The engine binds such a statement twice, and the first time not to its end.
TEST_F(OutsideReads, OfAStatementWhoseParametersHaveNoTypeAreAllReserved) {
  FakeDatabase database(2);
  const std::string sql = fmt::format(
      "SELECT sum(x)::BIGINT FROM (SELECT x FROM {} WHERE x IN (SELECT $1) UNION ALL SELECT x FROM {})",
      table(database), table(database));
  EXPECT_THAT(value(answer(sql, {std::int64_t{3}})), ElementsAre(kSum + 3));
  EXPECT_LE(database.reads_max, 2);
  const std::string late =
      fmt::format("SELECT sum(x)::BIGINT FROM (SELECT $1 AS x UNION ALL SELECT x FROM {})", table(database));
  EXPECT_THAT(value(answer(late, {std::int64_t{3}})), ElementsAre(kSum + 3));
}

TEST_F(OutsideReads, OfAnExplainedStatementNeedNoConnection) {
  FakeDatabase database(1);
  const std::shared_ptr<Reservation> all = database.try_reserve(1);
  const auto explained = engine_->query({.sql = "EXPLAIN SELECT * FROM " + table(database)},
                                        {.deadline = system_clock().now() + milliseconds(5'000), .stop = {}});
  EXPECT_TRUE(explained.ok()) << explained.error().message;
  EXPECT_EQ(database.reservations, 0);
}

TEST_F(OutsideReads, EndWithTheStatementThatReads) {
  FakeDatabase database(1);
  const auto source = std::make_shared<FakeSource>(database);
  const Monotonic before = system_clock().now();
  EXPECT_THAT(value(answer(sum_over({table(source)}))), ElementsAre(kSum));
  EXPECT_GE(source->deadline, before + std::chrono::seconds(20));
  EXPECT_LE(source->deadline, system_clock().now() + std::chrono::seconds(20));
}

// Whichever of the two comes first: nobody holds a connection of one database while it waits for the other.
TEST_F(OutsideReads, OfTwoDatabasesHoldNothingWhileTheyWait) {
  FakeDatabase databases[2] = {FakeDatabase(1), FakeDatabase(1)};
  for (const int busy : {0, 1}) {
    FakeDatabase& other = databases[1 - busy];
    std::shared_ptr<Reservation> held = databases[busy].try_reserve(1);
    const std::string sql = sum_over({table(databases[0]), table(databases[1])});
    const int before = databases[busy].reservations;
    std::jthread waits([&] { EXPECT_THAT(value(answer(sql)), ElementsAre(2 * kSum)); });
    while (databases[busy].reservations == before) std::this_thread::yield();
    EXPECT_TRUE(
        other.reserve(1, {.deadline = system_clock().now() + std::chrono::seconds(10), .stop = {}}).ok());
    held.reset();
  }
}

TEST_F(OutsideReads, OfManyStatementsInAnyOrderAllEnd) {
  FakeDatabase a(2);
  FakeDatabase b(1);
  FakeDatabase c(3);
  const std::vector<std::string> statements = {
      sum_over({table(a), table(b)}),           sum_over({table(b), table(a), table(c)}),
      sum_over({table(a), table(a), table(a)}), sum_over({table(c), table(c), table(b)}),
      sum_over({table(b), table(b)}),           sum_over({table(c), table(a), table(b), table(b)})};
  const std::vector<std::int64_t> tables = {2, 3, 3, 3, 2, 4};
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 24; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 5; ++round) {
        EXPECT_THAT(value(answer(statements[i % 6], {}, std::chrono::seconds(60))),
                    ElementsAre(tables[i % 6] * kSum));
      }
    });
  }
  threads.clear();
  EXPECT_LE(a.reads_max, 2);
  EXPECT_LE(b.reads_max, 1);
  EXPECT_LE(c.reads_max, 3);
}

TEST_F(OutsideReads, WaitForConnectionsNoLongerThanTheDeadlineOrTheStop) {
  FakeDatabase database(1);
  const std::shared_ptr<Reservation> held = database.try_reserve(1);
  const std::string sql = sum_over({table(database)});
  EXPECT_EQ(answer(sql, {}, milliseconds(50)).error().kind, ErrorKind::kDeadline);
  std::stop_source stop;
  std::jthread stops([&] {
    while (database.reservations < 2) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_EQ(
      integers(*engine_, {.sql = sql}, {.deadline = Monotonic::max(), .stop = stop.get_token()}).error().kind,
      ErrorKind::kCancelled);
}

// Each read sends 40,000 bytes.
TEST_F(OutsideReads, BeyondTheBytesThatAStatementMayGetEndAllReads) {
  FakeDatabase a(2);
  FakeDatabase b(1);
  const std::string both = sum_over({table(a), table(b)});
  const RunLimits enough{.transfer_bytes_max = 80'000};
  EXPECT_THAT(value(integers(*engine_, {.sql = both}, enough)), ElementsAre(2 * kSum));
  const Result<std::vector<std::int64_t>> over =
      integers(*engine_, {.sql = both}, {.transfer_bytes_max = 79'999});
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().code, "transfer_limit");
  EXPECT_EQ(over.error().kind, ErrorKind::kLimitReached);
  EXPECT_EQ(a.running, 0);
  EXPECT_EQ(b.running, 0);
  EXPECT_NE(a.try_reserve(2), nullptr);
  EXPECT_NE(b.try_reserve(1), nullptr);
  // The next statement begins at nothing.
  EXPECT_THAT(value(integers(*engine_, {.sql = both}, enough)), ElementsAre(2 * kSum));
}

TEST_F(OutsideReads, ThatRunOneAfterTheOtherAreCountedTogether) {
  FakeDatabase database(2);
  std::vector<std::string> tables;
  for (int i = 0; i < 7; ++i) tables.push_back(table(database));
  const std::string sql = sum_over(tables);
  EXPECT_EQ(integers(*engine_, {.sql = sql}, {.transfer_bytes_max = 279'999}).error().code, "transfer_limit");
  EXPECT_THAT(value(integers(*engine_, {.sql = sql}, {.transfer_bytes_max = 280'000})),
              ElementsAre(7 * kSum));
}

TEST_F(OutsideReads, HaveTheBoundOfTheEngineIfTheStatementHasALargerOne) {
  engine_ = open_engine({.sources = sources_, .transfer_bytes_max = 39'999});
  FakeDatabase database(1);
  const std::string sql = sum_over({table(database)});
  EXPECT_EQ(answer(sql).error().code, "transfer_limit");
  EXPECT_EQ(integers(*engine_, {.sql = sql}, {.transfer_bytes_max = 80'000}).error().code, "transfer_limit");
}

// Rows of this program itself come from no database.
TEST_F(OutsideReads, OfNoDatabaseAreNotCounted) {
  const std::unique_ptr<Engine> other = open_engine({});
  const std::string near =
      table(std::make_shared<SelectSource>(*other, "SELECT i AS x FROM range(5000) r(i)"));
  EXPECT_THAT(value(integers(*engine_, {.sql = sum_over({near})}, {.transfer_bytes_max = 10})),
              ElementsAre(kSum - 5'000));
}

}  // namespace
}  // namespace sluice::engine
